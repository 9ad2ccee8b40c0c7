// Package history stores the runs of a debugging session: what each step of a run did, its cause, and the state after it.
package history
