// Package schedules provides the orders of events in random walks.
//
// A [Scheduler] decides which ordinary event is next in a part of a walk. Package runs calls it, and walks by weights
// elsewhere in the run. [All] lists the schedules, with their shares of the runs. A scheduler depends only on its [Base], its random stream,
// the world and the enabled events. It never takes an event of weight 0.
//
// # Files
//
//	schedulers.go  Scheduler; the table of schedules; the file of each has its name
//	scale.go       weights of events
//	sendorder.go   which of the datagrams of a link was sent first
package schedules
