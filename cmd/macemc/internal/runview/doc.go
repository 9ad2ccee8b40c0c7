// Package runview shows a run of a test under a schedule: its steps and the states of its goroutines, its graph, and its page.
package runview
