package main

// smallestKnown is the number of steps of the smallest runs known, by bug and violation, made by hand or from any seed. Steps of a dead run
// count up to its critical step.
var smallestKnown = map[string]map[string]int{
	"ER2": {"safety monitor Leaders": 8},
}
