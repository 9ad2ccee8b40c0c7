// Package simtest runs one node of a system by hand, for ordinary unit tests of a service: a test
// boots the node, hands it messages, fires its timers, and looks at what it sends. Nothing is searched.
//
// The node runs as it does in a search, with the same Env. So what would be a finding there is
// reported here too: a failed assertion, a panic, an Env that is used after its handler has returned,
// a message that was changed after it was sent, a state that cannot be encoded. What cannot happen in any run,
// such as a timer that fires without being armed, fails the test at once.
//
// The questions of a handler, such as its random draws, are answered by the test: see [Node.Answer].
package simtest
