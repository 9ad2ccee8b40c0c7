// Package machine implements services as state machines that send each other events, in the manner of the language P,
// in ordinary Go: the checked code is the shipped code.
//
// A type of machines is a table, see [Define], with the rules of each state for events. Handlers are methods of the
// machine's variables. The type of a handler's parameter is the type of the event that its rule handles:
//
//	var door = machine.Define[Door]("door",
//		machine.In("closed",
//			machine.On((*Door).knock, "open")), // the handler may go to "open"
//		machine.In("open",
//			machine.OnGoto[Close]("closed"),
//			machine.Defer(Knock{})))
//
// A [System] is a set of machines. Its Sim method returns an ordinary [sim.System], for every command and every
// strategy.
//
// # Semantics
//
// A machine is a node with variables, a stack of states, and a queue of events that have arrived and were not handled.
// A halted machine has no state.
//
//   - An event that arrives is appended to the queue. The machine takes the first event that no state defers and drops
//     ignored events before it. It takes one event in a step; further events are taken in steps of the machine's own.
//   - The rule for an event is searched from the top of the stack down. A rule below the top that transfers control
//     first leaves the states above, with their exit actions. Without a rule, [Halt] halts the machine, and any other
//     event is a finding that names machine, state and event.
//   - A handler transfers control at most once, by Goto, Push, Pop, Raise or Halt, as its last operation. Its rule must
//     name the target states. A raised event is handled immediately. A machine diverges, which is a finding, after
//     1,000 transfers without an event.
//   - A transition runs the exit action of the old state, the handler, and the entry action of the new state. The entry
//     action gets the event, or the argument of Goto.
//   - [Null] runs if no event of the queue can be taken. Events in flight have not arrived.
//
// A handler cannot wait for an event, since a waiting handler could neither be hashed nor copied. Write a state
// instead, with [DeferAll] if all other events must wait.
//
// Events are values: structs of exported fields.
package machine

// A [Kind] is the table of a type of machines, and immutable. A [Machine] has variables and a stack of states: the
// state of one machine or one monitor. [Host] is the sim.Service of a node: it appends events to the queue and calls
// Machine.take, which finds the rule, runs its action and executes the transfer that the action has requested. Host
// also implements interfaces of internal/simext, by which the engines make a machine take further events in steps of
// its own.
//
// The files of this package, for readers of its source:
//
//	table.go        Kind, In, On and the other rules of a table
//	check.go        errors in a table; transitions; unreachable states
//	machine.go      which rule handles an event; what a transfer does
//	host.go         Sim: the system of hosts; which event of the queue is next; when a machine can step
//	ctx.go          Ctx: what a handler can request, and when that is a finding
//	system.go       System: the nodes of machines, pools, networks
//	monitor.go      monitors: which events they receive, when they are created
//	obligations.go  which obligations of a monitor are open, hot or settled
//	answered.go     EachAnswered: a monitor of requests without a response
//	cover.go        which rules were used
//	chart.go        state charts in Mermaid
//	driver.go       combinations of parameters of systems
