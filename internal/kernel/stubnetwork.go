package kernel

import "github.com/macemc/macemc/sim"

// noNetwork is the network of systems that have none. Env refuses to send, so most of it is not
// reached.
type noNetwork struct{}

const noNetworkMessage = "sim: nothing can be sent without a network"

func (noNetwork) Reset()                                                  {}
func (noNetwork) AppendEvents(_ sim.NodeID, buf []sim.Event) []sim.Event  { return buf }
func (noNetwork) AppendGlobal(buf []sim.Event) []sim.Event                { return buf }
func (noNetwork) AppendInjections(buf []sim.Event) []sim.Event            { return buf }
func (noNetwork) Take(sim.Event) sim.Delivery                             { panic(noNetworkMessage) }
func (noNetwork) Inject(sim.Event)                                        { panic(noNetworkMessage) }
func (noNetwork) Messages(_ sim.Event, buf []sim.Envelope) []sim.Envelope { return buf }
func (noNetwork) Key(sim.Event) (carrier, content string)                 { return "", "" }
func (noNetwork) Room(sim.NodeID, sim.NodeID) int                         { panic(noNetworkMessage) }
func (noNetwork) Capacity() int                                           { return 0 }
func (noNetwork) SendDatagram(sim.NodeID, sim.NodeID, sim.Message)        { panic(noNetworkMessage) }
func (noNetwork) SendStream(sim.NodeID, sim.NodeID, sim.Message)          { panic(noNetworkMessage) }
func (noNetwork) RefuseStream(sim.NodeID, sim.NodeID)                     { panic(noNetworkMessage) }
func (noNetwork) CloseStream(sim.NodeID, sim.NodeID)                      {}
func (noNetwork) Crashed(sim.NodeID)                                      {}
func (noNetwork) Halted(sim.NodeID)                                       {}
func (noNetwork) Booted(sim.NodeID)                                       {}
func (noNetwork) Quiet() bool                                             { return true }
func (noNetwork) InFlight(func(sim.Envelope) bool)                        {}
func (noNetwork) Fingerprint() sim.Fingerprint                            { return sim.Fingerprint{} }
func (noNetwork) Fields(buf []sim.Field) []sim.Field                      { return buf }
