// Package espresso is an espresso machine as machines (package machine): a control panel between a user and a coffee maker.
//
// # Protocol
//
// The panel has eight states, and in each of them a rule for everything that a user or the maker may do: handle, defer until
// later, or ignore. It has the maker warm up, grind, brew and steam, of which each may fail for want of water or beans.
//
// # Source
//
// The third tutorial of the language P (p-org.github.io), which is the same program in P. The defect EM1 is the panel as it is
// published there: the tutorial's crazy user finds that events are unhandled.
//
// # Simplifications
//
// The crazy user presses one thing a step, when it pleases, and not all at once.
//
// # Properties
//
// Monitor: the modes of operation come in order. Every event is handled. Sometimes: coffee is made.
package espresso
