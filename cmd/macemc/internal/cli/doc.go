// Package cli is the command line of the program. It translates flags to tasks, and executes them in this process or in
// the binary of a package's tests.
//
// Each command has a file, and a function that returns its cobra.Command. The command fills in a value of package task.
// app.onSystem and app.onFile execute it: here for a bundled system, and otherwise in the test binary that build makes.
// Package task and those below it decide what a task does.
//
// # Files
//
//	main.go, root.go                     Main; the state that the commands share, and their list; exit status, unknown commands
//	package.go                           what an argument names: system, package, test or path file
//	pattern.go                           a search of all checks of many packages
//	build.go, versions.go                builds the tests of a package; versions of its modules
//	drive.go                             lists the checks of a test binary, and executes a task in it
//	candidates.go                        which tests appear to check systems
//	search.go, refine.go, merge.go       macemc search, and the command that repeats it; macemc refine, merge
//	replay.go, shrink.go, critical.go    macemc replay, shrink, critical
//	mdb.go, dap.go, graph.go, report.go  macemc mdb, dap, graph, report
//	observe.go, durable.go, systems.go   macemc observe, durable, systems
//	new.go, version.go                   macemc new, version
//	companion.go                         commands that other programs have
//	runfile.go                           the run that an argument such as "last" denotes
//	flags.go, groups.go                  errors in flags and arguments; flags of formats; groups of commands in help
//	complete.go, reference.go            shell completion; pages of the reference
//	web.go, web_demo.go                  serves a debugging session to a browser
package cli
