package search

// CPUTime is for benchmarks.
var CPUTime = cpuTime
