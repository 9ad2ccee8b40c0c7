// Package overlay generates, from the user's own Go distribution, the few changed files with which the go command builds programs whose
// goroutines can be driven step by step. Package bubble needs such builds, and so does macemc test, whose binaries also contain package
// testsched. Every change is located by the name of a function, type or variable, so that no text of the distribution is copied into this
// package. If a place does not exist exactly once, the error names it.
//
// # Files
//
//	overlay.go, change.go       makes the files; how a place is found and changed
//	changes.go                  the changes for both kinds of programs
//	nodes.go                    those for nodes of systems
//	tests.go, network.go        those for tests; their in-memory network
//	atomics.go                  atomic operations as scheduling points
//	sources.go                  lists the files that are added to packages of the distribution
//	_source                     these files: _source/common, _source/nodes and _source/tests, then the folder of the package
//
// A function macemc_name of these files is name of package bubble, and macemc_testName is macemcName of package testing. Files of other
// packages can link to any function macemcName. A link by a package of this module needs a directive at the function.
package overlay
