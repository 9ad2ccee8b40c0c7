// Package simtest runs one node of a system by hand, for ordinary unit tests of a service. A test boots the node,
// passes it messages, fires its timers, and examines the messages that it sends. Nothing is searched.
//
// The node runs as it does in a search, with the same Env. Errors that would be findings there are reported here, too:
// a failed assertion, a panic, use of an Env after its handler has returned, a message that was changed after it was
// sent, a state that cannot be encoded. Events that cannot happen in any run, such as the firing of an unarmed timer,
// fail the test at once.
//
// The test answers the choices of a handler, such as its random draws: see [Node.Answer].
package simtest
