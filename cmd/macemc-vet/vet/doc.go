// Package vet finds by reading what would make handlers no function of their state: hazards that the
// checker cannot control, such as the wall clock, global random numbers, goroutines, the order of maps,
// addresses in text, package variables that handlers change, and input from outside.
//
// [Analyzer] is an analyzer for golang.org/x/tools/go/analysis, and can be run by any driver of that.
// [Check] runs it on package patterns.
//
// A handler is what the checker calls: the methods of services (types that implement sim.Service) and
// of monitors, the functions in sim.System, sim.Action and sim.Property, those that are passed to
// functions of package sim, every other function that takes a sim.Env, a *machine.Ctx, or a *sim.View, AppendState
// methods, and what all of them call. Calls are followed by name: of functions and methods, of functions
// that are passed on, of package variables that hold functions, and of interface methods when the package
// itself has types that implement the interface. Functions of other packages are summarized by facts.
// The standard library is known by a table, not by its source.
//
// Calls of function values that came from elsewhere, and of interface methods whose implementations are
// in other packages, are not followed; package variables are noticed when they are named, not through
// pointers to them. So no finding is no proof. A search executes a sample of its runs twice and
// compares them, which finds what is missed here.
package vet
