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

// A [Program] is a [sim.Service] with a history as its state: a list of inputs, each with the hash of everything up to
// it. Copies of a state share the list. A running node is only a cache of a history. Program.step looks for the node of
// the history before the step, or executes the history again (history.resume), and then hands the input to the node.
// The node runs its goroutines until all wait, and collects the effects that they request. After the step the effects
// are passed to sim.Env.
//
// Steps of all nodes of the process exclude each other (stepLock), because the changed runtime schedules one bubble at
// a time. A sealed input is immutable, except for the cached text of its goroutines. Repeating it must give the same
// effects, or the node is nondeterministic.
//
// The files of this package, for readers of its source:
//
//	service.go                        Program: what a step does, what properties see, what is not covered
//	input.go                          the input of a step; messages that wait for room; repeated steps
//	nodecache.go                      which histories have a running node, and which are executed again
//	node.go                           a running node: one step, when it ends, when its next timer fires
//	control.go                        the order of goroutines in a step; deadlocks
//	steplock.go                       one step at a time; steps that do not end
//	hooks_overlay.go, hooks_stock.go  functions of the changed runtime, and stubs without it
//	host.go                           Host: effects that a program requests; when writes to a node block
//	network.go, address.go            package net of a node; names and addresses
//	packet.go                         sockets for datagrams: when one is dropped
//	listener.go                       which connections are established or refused
//	conn.go                           connections: when reads and writes block, and how they end
//	message.go                        messages between nodes, and their text
//	command.go                        processes: package variables, exit, signals, output
//	files.go                          DataDir, and files in package os of a node
//	disk.go                           the disk of Host.Disk
//	clock.go                          clocks that drift from the common time
//	faults.go                         faults that strike a program: what they change
//	action.go                         Call and Signal
//	compare.go                        where two executions of a history differ
//	stacks.go                         goroutines as shown in traces
//
// internal/filesystem has the data directory, open files and their locks, and explains what a crash leaves,
// internal/filetree the content of data directories and their state after a crash, internal/payload the text of data of
// known protocols, internal/pkgvars package variables that a function mentions, internal/userframes the frames of
// programs in stacks, and internal/waitqueue goroutines that wait for an item or a deadline.
