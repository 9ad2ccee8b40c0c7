// Package machine writes services as state machines that send each other events, in the manner of the language P, as
// ordinary Go: what is checked is what ships.
//
// A type of machines is a table, see [Define]: for each state the rules that say what is done with an event. Handlers are
// methods of the machine's variables, and the type of the event that a rule is about is that of the handler's parameter:
//
//	var door = machine.Define[Door]("door",
//		machine.In("closed",
//			machine.On((*Door).knock, "open")), // the handler may go to "open"
//		machine.In("open",
//			machine.OnGoto[Close]("closed"),
//			machine.Defer(Knock{})))
//
// A [System] is a set of machines; its Sim is a [sim.System] as any other, for every command and every strategy.
//
// # What a machine does
//
// A machine is a node: variables, a stack of states, a queue of events that have arrived and were not handled. It has no
// state when it is halted.
//
//   - An event that arrives goes to the end of the queue. Taken is the first event that no state defers; events that are
//     ignored and stand before it are dropped. One event is taken a step; what can be taken after that is taken by a step
//     of the machine's own.
//   - The rule for an event is looked for from the top of the stack down. A rule below the top that goes elsewhere leaves
//     the states above first, with their exit actions. No rule: [Halt] halts the machine, anything else is a finding that
//     names machine, state and event.
//   - A handler transfers control at most once, by Goto, Push, Pop, Raise or Halt, and asks for nothing after that. The
//     states that it goes to are named in its rule. A raised event is handled at once. After 1,000 transfers without an
//     event the machine diverges, which is a finding.
//   - To go to a state is the exit action of the old one, the handler, and the entry action of the new one, which is given
//     the event, or what Goto was given.
//   - [Null] is done when nothing of the queue can be taken. What is on its way has not arrived.
//
// There is no way to wait for an event inside a handler, since what waits could neither be hashed nor copied: write a state,
// with [DeferAll] if all else is to wait.
//
// Events are values: structs of exported fields.
package machine
