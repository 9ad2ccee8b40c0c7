// Package espresso is an espresso machine as machines (package machine): a control panel between a user and a coffee maker.
//
// # Protocol
//
// The panel has eight states, each with a rule foreverything that a user or the maker may do: handle, defer, or
// ignore. It makes the maker warm up, grind, brew and steam. Each of these may fail for lack of water or beans.
//
// # Source
//
// The third tutorial of the language P (p-org.github.io), which is the same program in P. The defect EM1 is the
// panel as published there: the tutorial's crazy user finds unhandled events.
//
// # Simplifications
//
// The crazy user presses one thing in each step, at arbitrary times, instead of all at once.
//
// # Properties
//
// Monitor: the modes of operation are in order. Every event is handled. Sometimes: coffee is made.
package espresso
