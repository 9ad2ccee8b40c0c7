package main

// smallestKnown is the number of steps of the smallest run known of a bug, made by hand or from any seed. Steps of a dead run count up to
// its critical step.
var smallestKnown = map[string]int{
	"ER2": 8,
}
