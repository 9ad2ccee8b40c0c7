package sim

// noNetwork is the network of systems that have none. Env refuses to send, so most of it is not
// reached.
type noNetwork struct{}

const noNetworkMessage = "sim: nothing can be sent without a network"

func (noNetwork) Reset()                                      {}
func (noNetwork) AppendEvents(_ NodeID, buf []Event) []Event  { return buf }
func (noNetwork) AppendGlobal(buf []Event) []Event            { return buf }
func (noNetwork) AppendInjections(buf []Event) []Event        { return buf }
func (noNetwork) Take(Event) Delivery                         { panic(noNetworkMessage) }
func (noNetwork) Inject(Event)                                { panic(noNetworkMessage) }
func (noNetwork) Messages(_ Event, buf []Envelope) []Envelope { return buf }
func (noNetwork) Key(Event) string                            { return "" }
func (noNetwork) Room(NodeID, NodeID) int                     { panic(noNetworkMessage) }
func (noNetwork) Capacity() int                               { return 0 }
func (noNetwork) SendDatagram(NodeID, NodeID, Message)        { panic(noNetworkMessage) }
func (noNetwork) SendStream(NodeID, NodeID, Message)          { panic(noNetworkMessage) }
func (noNetwork) RefuseStream(NodeID, NodeID)                 { panic(noNetworkMessage) }
func (noNetwork) CloseStream(NodeID, NodeID)                  {}
func (noNetwork) Crashed(NodeID)                              {}
func (noNetwork) Booted(NodeID)                               {}
func (noNetwork) Quiet() bool                                 { return true }
func (noNetwork) InFlight(func(Envelope) bool)                {}
func (noNetwork) Fingerprint() Fingerprint                    { return Fingerprint{} }
func (noNetwork) Fields(buf []Field) []Field                  { return buf }
