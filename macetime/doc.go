// Package macetime is the time that services see. Values of [Time] can be compared only by a [Clock], because in the
// checker every comparison of real time is a choice. [MonotoneTime] is a precise counter of one node that survives its
// crashes. No virtual time passes for services: only the order of the timers of a node is kept (internal/kernel/timers.go).
// Programs of package bubble read the time of package time instead, which sim.Clocks relates.
package macetime
