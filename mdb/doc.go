// Package mdb is the debugger's headless core: a [Session] over one run and the runs that it is compared
// with, commands in, text out. The screen, the line prompt, batch mode and tests all use the one table of
// commands; the program has a screen, which draws what a session knows.
//
// A run is a path. A session executes it once when it is opened, keeps for each step what lists,
// searches and the causal chain need, and copies of some states (see [replay.Cursor.Keep]); everything
// else is computed again for the steps that are looked at. The run of a test under a schedule is a trace that was
// recorded ([Config.Trace]), with goroutines as nodes.
package mdb
