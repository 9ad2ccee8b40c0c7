// Package options holds the bounds and the containment of an exploration, for all layers of the table engine.
//
// It is the lowest layer. It has [Options], the reductions and crash models, [Calls], which reports the call of
// checked code under way to another process, and [Guard], which repeats an exploration with contained worlds when
// checked code ends its goroutine or does not return.
package options
