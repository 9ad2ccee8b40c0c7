// Package bubble runs ordinary programs as the nodes of a checked system: with goroutines, channels, mutexes, timers, contexts, net.Conn,
// and unmodified libraries.
//
//	New:   func(sim.NodeID) sim.Service { return bubble.Service(run) },
//	State: bubble.Rules,
//
// run is the main function of a node, and a [Host] is its machine. Package net uses the network of the node. time.Now, time.Sleep and
// timers use the clock of the node. [Command] runs an unmodified func main as a process. Each node is a bubble of testing/synctest, driven
// from outside. A step delivers one event (a message, room to send, an action, or the next timer) and runs the goroutines of the node until
// all of them wait.
//
// The state of a node is the history of its inputs since it booted. The checker returns to a state by repeating these inputs. A node that
// then behaves differently is reported as nondeterministic. A crash stops all goroutines where they are. The next boot is a fresh bubble
// with the content of the disk. [DataDir] stores files of package os there.
//
// Messages are datagrams and parts of connections. All connections between two nodes share one stream of the network model, so their
// messages arrive in the order in which they were sent.
//
// The goroutines of a node are scheduled by a changed copy of a few files of the Go runtime, which "macemc test" and "macemc search" make
// from the user's own Go distribution. docs/goroutines.md describes what is covered and what is not.
package bubble
