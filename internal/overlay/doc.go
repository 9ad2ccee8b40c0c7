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
//	sources.go, links.go        lists the files that are added to packages of the distribution; links between their functions
//	_source                     these files: _source/common, _source/nodes and _source/tests, then the folder of the package
//
// A function macemc_name of these files implements name of package bubble, and macemc_testName implements macemcName of package testing. Other
// functions without a body are those of package runtime with their names.
package overlay
