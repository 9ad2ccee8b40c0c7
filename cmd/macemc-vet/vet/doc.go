// Package vet analyzes source for code that makes handlers depend on more than their state: hazards that the checker
// cannot control. These are the wall clock, global random numbers, goroutines, the order of maps, addresses in text,
// package variables that handlers change, and input from outside.
//
// [Analyzer] is an analyzer for golang.org/x/tools/go/analysis and runs in any driver. [Check] runs it on package
// patterns.
//
// A handler is code that the checker calls: the methods of services (types that implement sim.Service) and of monitors,
// the functions in sim.System, sim.Action and sim.Property, functions passed to package sim, every other function that
// takes a sim.Env, a *machine.Ctx, or a *sim.View, AppendState methods, and everything that these call. Calls are
// followed by name: of functions and methods, of functions passed as values, of package variables that hold functions,
// and of interface methods if the package itself has types that implement the interface. Facts summarize the functions
// of other packages. A table describes the standard library, not its source.
//
// Calls of function values from elsewhere, and of interface methods with implementations in other packages, are not
// followed. Changes of package variables are detected where the variables are named, not through pointers to them. An
// empty report is therefore not a proof. A search executes a sample of its runs twice and compares them, which detects
// what vet misses.
//
// The code of a package is divided into units: functions, methods and literals. First the hazards and calls of
// each unit are recorded. Then calls are followed: hazards that a handler reaches are findings, and those that another
// function reaches are exported as a fact about it.
package vet
