// Package mdb is the headless core of the debugger. A [Session] executes commands on a run, and on the runs that it is compared with, and
// writes text. The screen, the line prompt, batch mode and tests share one table of commands. The screen is in the program and draws the
// content of a session.
//
// A run is a path. A session executes it once when it is opened. It stores for each step the data for lists, searches and the causal chain,
// and copies of some states (see [replay.Cursor.Keep]). Everything else is recomputed for the steps that are shown. A test's run under a
// schedule is a recorded trace ([Config.Trace]), with goroutines as nodes.
package mdb
