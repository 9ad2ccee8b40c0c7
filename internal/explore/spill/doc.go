// Package spill holds data on disk that exceeds memory while a process runs: chunks of bytes that are read again in
// order, and fingerprints in sorted runs. Nothing outlives the process, because files are unlinked once created. Data
// read back is verified by checksums in memory.
package spill
