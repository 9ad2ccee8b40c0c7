// Package bubble lets ordinary programs be the nodes of a checked system: with goroutines, channels, mutexes, timers, contexts,
// net.Conn, and libraries as they are.
//
//	New:   func(sim.NodeID) sim.Service { return bubble.Service(run) },
//	State: bubble.Rules,
//
// run is the main function of a node, and a [Host] is its machine. Package net uses the network of the node. time.Now, time.Sleep and timers
// are its own time. [Command] runs an unmodified func main as a process. Each node is a bubble of testing/synctest, driven from outside: a
// step hands it one thing (a message, room to send, an action, or its next timer) and lets its goroutines run until all of them wait.
//
// The state of a node is the history of what it was given since it booted; to go back means to give it the same again. A node
// that does something else then is a finding of nondeterminism. A crash stops all goroutines where they are; the next boot
// is a fresh bubble with what is on the disk. [DataDir] puts files of package os there.
//
// Messages are datagrams and parts of connections. All connections between two nodes share one stream of the network model, so
// their messages arrive in the order in which they were sent.
//
// The goroutines of a node are scheduled by a changed copy of a few files of the Go runtime, which "macemc test" and "macemc
// search" make from the user's own Go distribution. docs/goroutines.md says what is covered and what is not.
package bubble
