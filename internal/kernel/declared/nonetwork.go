package declared

import (
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// NoNetwork is the network of systems without one. Env refuses to send, so most methods are never called.
type NoNetwork struct{}

const noNetworkMessage = "sim: nothing can be sent without a network"

func (NoNetwork) Reset()                                                           {}
func (NoNetwork) AppendEvents(_ sim.NodeID, buf []netmodel.Event) []netmodel.Event { return buf }
func (NoNetwork) AppendGlobal(buf []netmodel.Event) []netmodel.Event               { return buf }
func (NoNetwork) AppendInjections(buf []netmodel.Event) []netmodel.Event           { return buf }
func (NoNetwork) Take(netmodel.Event) netmodel.Delivery                            { panic(noNetworkMessage) }
func (NoNetwork) Inject(netmodel.Event)                                            { panic(noNetworkMessage) }
func (NoNetwork) Messages(_ netmodel.Event, buf []sim.Envelope) []sim.Envelope     { return buf }
func (NoNetwork) Key(netmodel.Event) (carrier, content string)                     { return "", "" }
func (NoNetwork) Room(sim.NodeID, sim.NodeID) int                                  { panic(noNetworkMessage) }
func (NoNetwork) Capacity() int                                                    { return 0 }
func (NoNetwork) SendDatagram(sim.NodeID, sim.NodeID, netmodel.Message)            { panic(noNetworkMessage) }
func (NoNetwork) SendStream(sim.NodeID, sim.NodeID, netmodel.Message)              { panic(noNetworkMessage) }
func (NoNetwork) RefuseStream(sim.NodeID, sim.NodeID)                              { panic(noNetworkMessage) }
func (NoNetwork) CloseStream(sim.NodeID, sim.NodeID)                               {}
func (NoNetwork) Crashed(sim.NodeID)                                               {}
func (NoNetwork) Halted(sim.NodeID)                                                {}
func (NoNetwork) Booted(sim.NodeID)                                                {}
func (NoNetwork) Quiet() bool                                                      { return true }
func (NoNetwork) InFlight(func(sim.Envelope) bool)                                 {}
func (NoNetwork) Fingerprint() encoding.Fingerprint                                { return encoding.Fingerprint{} }
func (NoNetwork) Fields(buf []diff.Field) []diff.Field                             { return buf }
