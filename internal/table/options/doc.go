// Package options holds what bounds an exploration and how it is contained, for all layers of the table engine.
//
// It is the lowest layer: [Options], the reductions and crash models that can be asked for, [Calls], which
// lets another process know which call of checked code is under way, and [Guard], which explores again with
// contained worlds when checked code ends its goroutine or does not return.
package options
