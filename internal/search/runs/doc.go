// Package runs makes the runs of strategies that execute them: random walks, and iterative deepening.
//
// A [Strategy] answers the choices of runs. Package runloop executes the runs: it calls Next for each run, Select in
// each state, Choose for each other choice, and Ended after the run. A worker of package search calls Begin with a
// [Job], a set of runs, and Rest for the runs that are left when a limit ends it.
//
// A numbered run depends only on its number, the [Settings], the path that it begins with, and the schedules of its
// job. Results therefore do not depend on the number of workers. Deepening recognizes states, by as many bits as a
// [Key] has.
//
// # Files
//
//	job.go            Strategy, Job: which runs a worker makes, how jobs are divided
//	walker.go         one random walk: which event is next, when it ends
//	walks.go ...      a file for each kind of numbered walks
//	faulttimes.go     when faults may strike in a faulty walk
//	portfolio.go      which schedule a numbered run gets, and which path it begins with
//	deepening.go      iterative deepening: which alternative is next, from which states walks begin
//	frames.go         the alternatives that are left, and their order
//	deepening_job.go  the part of the search tree that a job has, and its rest
//	key.go            which bits of a fingerprint identify a state; the probability of an omission
package runs
