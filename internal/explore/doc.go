// Package explore visits the states of a graph. There is one loop over five interfaces. A [graph.Graph] lists the edges
// from a state. A [stateset.Visited] set recognizes states found before. A [Frontier] selects the next state. A
// [Reducer] selects sufficient edges. An [Analysis] evaluates all states together. Each is chosen by name from a table,
// and the loop does not distinguish the implementations.
//
// # States and edges
//
// A state is a vector of numbers with a meaning private to the graph. An edge is a list of changes to that vector.
// Edges are gathered and looked up many at a time, since look-ups wait for memory. Most are never looked up, because
// their state was found recently. A second worker looks up the edges that the first one gathers. It also reads edges of
// graphs that are [graph.Readable]. States are numbered in the order in which they are found, which does not depend on
// the number of workers.
//
// # Sleep sets
//
// A graph may omit edges to the state being expanded, and to states found before it, see [graph.Edges.By]: it only counts
// them. Results are the same, so the graph may choose freely. This is available with frontiers that expand states in
// the order in which they are found, without a reducer.
//
// # Visited sets
//
// Exact sets store vectors as trees with shared inner nodes, at eight bytes and an index entry each. Fingerprints are
// stored in cache lines. Two states with equal fingerprints are taken for one, and [Result.Omission] bounds the
// probability of that. Tables grow in place, in huge pages where available.
//
// States that do not fit into memory can be held on disk, see [stateset.Spill] and [stateset.Deferred].
//
// # Paths
//
// The edge indexes taken from the start to a state form its path. A queue stores for each state its predecessor (about
// three bits) and the index of the edge from there (as many bits as the largest among its neighbours takes, about
// four). A stack holds the edge indexes itself. No path needs a second exploration.
//
// # Logs
//
// A [Log] stores for each state its predecessor and the edge index, about a byte. It does not store the meaning of the
// numbers in states. A resumed exploration repeats the same edges, and no others, except for those of cache fillers, in
// whose expansion the graph added something to its caches. Everything the graph ever did is thus repeated, and
// compared.
//
// # Analyses
//
// An analysis visits all states in the order in which a queue finds them. The targets of edges that it needs are kept
// while there is room. With fingerprints, the fingerprints of these states and the order in which they were found are
// kept. Otherwise states are expanded again, see [Space]. After another frontier, all states are visited once more by a
// queue.
//
// # Files
//
//	loop.go, batch.go, lookup.go                       the loop: expands states, looks targets up in
//	                                                   batches
//	worker.go, reader.go                               the second worker of the loop
//	options.go, limits.go                              options; when an exploration stops
//	tables.go                                          the table of frontiers
//	queue.go, diskqueue.go, stack.go                   frontiers
//	reduce.go                                          states of chains that a reducer passes
//	pendingbatches.go                                  batches that wait for a set on disk
//	space.go, rows.go, rows_unknown.go, regenerate.go  all states and edges, for analyses
//	dead.go                                            the analysis that finds dead states
//	parts.go, deadparts.go                             the same for one part of the states, in a cluster
//	log.go, replay.go                                  the interface of logs; continues from one
//
// # Packages
//
//	graph         states and edges
//	stateset      visited sets
//	predecessors  links to predecessors
//	statelog      logs of states
//	spill         lists on disk
//	memory        lists outside the collector's memory
package explore
