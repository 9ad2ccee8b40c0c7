// Package live implements the command that runs a system on a real network.
//
// runAll starts a process for each node (or group of nodes), with the same program and the flag for one node, and is
// its parent. The parent kills and starts processes, sends orders to them on standard input, and reads reports from
// their output. runNode is the child: it runs a realnet.Node. All nodes record. The parent executes the recordings so
// far in a simulated world, so it evaluates properties without another protocol.
//
// # Files
//
//	command.go   flags
//	schedule.go  the parent: when nodes are killed or started, when the run ends
//	fleet.go     the state of the parent: folder, addresses, progress
//	process.go   one child process: its orders and its reports
//	judge.go     whether all nodes are up, and which properties hold
//	console.go   commands of the user
//	node.go      the child: runs nodes, obeys orders, acts at random
//	report.go    executes the whole run, and reports on it
package live
