// Package eventgraph converts the trace of a run to an event graph: one lane per node with its events in order, the
// messages and timers between them, and the dependencies of steps. Renderers show it as text, SVG, HTML page,
// Mermaid, JSON and JSON lines. All output is deterministic.
package eventgraph

// [Build] converts a trace to a [Graph]: plain data with indices between events, messages and timers. Formats only read
// it. [Options] select steps and nodes. Graph.segments divides the shown steps into segments, each a step or several
// folded ones, so that texts and pictures show the same steps.
//
// The files of this package, for readers of its source:
//
//	graph.go                                Graph, Event, Message, Timer
//	build.go                                the graph of a trace; what a boot after a crash has lost
//	causes.go                               the steps that a step depends on
//	relevance.go                            which steps matter before a violation; the two steps of a data race
//	pauses.go                               nodes and links whose messages wait
//	select.go                               Options: which steps and nodes are shown
//	fold.go, ticks.go                       which steps are folded into one line; clocks that only advance
//	label.go                                names of events; fields by which messages differ
//	changes.go                              what a step changed, in a few words or in full
//	formats.go                              the table of formats; JSON lines
//	text.go, draw.go, columns.go            text: lanes, arrows, notes beside them
//	svg.go, svgmessages.go, svglabels.go    SVG: positions, arrows, texts, and the signs that it explains
//	view.go                                 the interactive page
//	mermaid.go                              Mermaid
