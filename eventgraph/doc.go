// Package eventgraph converts the trace of a run to an event graph: one lane per node with its events in order, the
// messages and timers between them, and the dependencies of steps. Renderers show it as text, SVG, HTML page,
// Mermaid, JSON and JSON lines. All output is deterministic.
package eventgraph
