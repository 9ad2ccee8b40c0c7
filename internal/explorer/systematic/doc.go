// Package systematic enumerates the schedules of a small test, with a bounded number of preemptions or with sleep sets.
package systematic
