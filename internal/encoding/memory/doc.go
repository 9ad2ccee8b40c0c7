// Package memory reads the memory layout of Go values, and finds memory with an identity that outlives a run.
package memory
