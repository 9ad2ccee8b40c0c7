// Package netsim models the network between the nodes of a checked system: [Datagrams], [Streams], [Both], or the
// [Queues] of machines. A network is data. Start returns its state in one world. The rules are those of the simulated
// network of MaceMC (Killian et al., NSDI 2007, extended version).
//
// # Datagrams
//
// The datagrams in flight to a node form an unordered bag. Each datagram may be delivered at any time. It may be lost
// or duplicated, within limits for the whole system. Equal datagrams from one sender to one receiver are
// interchangeable and make one event. The oldest is taken first. A duplicate has its own identity and follows its
// original.
//
// A datagram sent to a node that is down, or over a cut link, is dropped at once. Datagrams already in flight survive
// partitions and crashes of either end: they may arrive after the receiver's next boot, but not while the receiver is
// down. Those on their way to a node that halts are dropped.
//
// # Streams
//
// Messages from one node to another arrive in order. Up to Buffer of them wait in the sender's buffer. After a refused
// message a ready call-back is due, which is enabled while there is room.
//
// Two nodes share one connection. It is established when its first message, in either direction, is delivered. Until
// then the queued messages are a connection attempt, unknown to the peer.
// Each end has the four variables of the paper's simulated TCP:
//
//	local error   an error that this end caused is on its way to the peer
//	remote error  an error is on its way to this end: sim.ErrReset, once delivered
//	open          this end regards the connection as established
//	not ready     a message went to a peer that was down: sim.ErrRefused, once delivered
//
// Only these combinations of the variables that are set occur:
//
//	state         one end                      the other end
//	none          -                            -                            no connection, or an attempt
//	refused       not ready                    -                            of an attempt
//	established   open                         open
//	broken        local, remote error, open    local, remote error, open    neither end has read its error
//	half-broken   local error                  remote error, open           one end has read its error, closed the
//	                                                                        connection, or crashed
//
// Transitions between them:
//
//   - A message to a node that is down is dropped with all messages queued to that node: not ready.
//   - A socket error (Break) strikes an established connection: both ends get an error, and the messages queued in both
//     directions are lost.
//   - A crash loses the messages that the node had queued. If the connection was established, the messages that its
//     peer had queued are lost, too, and the peer gets an error. An attempt of the peer survives and arrives after the
//     next boot. If the node halts, the attempt is refused.
//   - Close has the effect of a crash on that one connection: the peer gets an error if it was established. The closing
//     end gets no more errors, not even those already due. A ready call-back stays due.
//   - An error precedes messages sent later by its peer. Until the node has read it, messages that the node sends on
//     that connection are lost.
//
// A network with the behavior of live nodes (LiveNetwork of package internal/simext) differs in two ways. Messages
// of machines are queued even without room. A socket error may strike an attempt, which is refused: the process of a
// node may die after it has taken the messages that another node sent to a node of the same process, and before it
// takes those sent to the node itself.
//
// # Partitions
//
// A partition cuts either all links of one node or a single link, until an ordinary event heals it. One partition is in
// force at a time. Datagrams sent over a cut link are lost, and messages in streams wait. Errors do not wait, because an
// end may detect the failure by its own time-out.
//
// Messages that wait for a partition to heal, or for a node to boot, are in flight for properties. They do not prevent
// the network from being quiet. Otherwise no time-out could detect either condition under sim.Prompt.
package netsim

// A model implements netmodel.Model for package kernel, and netmodel.Parted for the table engine. That sets one part (the bag
// of a node, a connection, the global part), calls one operation and reads the part again. Both use the same code, so a
// rule exists once. An operation must mark what it changes (changed, fingerprintCache), since fingerprints and sets of
// peers are updated by the change. The order of events is part of path files.
//
// The files of this package, for readers of its source:
//
//	network.go      Datagrams, Streams, Both: their fields and limits
//	model.go        the state of a network; which events are possible, what each does
//	datagrams.go    bags of datagrams: order, equal ones
//	streams.go      connections: sends, deliveries, errors, breaks, closes
//	queues.go       Queues: which message of a queue can be delivered; bounds
//	partitions.go   which links are cut, and when they heal
//	faults.go       the faults of networks, where they can strike, and the effects of those on datagrams
//	parts.go        reads and sets single parts
//	fingerprint.go  the share of each part in the fingerprint
//	describe.go     keys, fields and messages in flight, for traces
