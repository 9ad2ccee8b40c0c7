// Package crashes proves for nodes that their crashes cannot matter, so that they need not be explored.
//
// A node is crash-insensitive when whatever it does after a crash it could do without the crash as well,
// with at least the same messages. That is a simulation relation between local states (Milner, An Algebraic
// Definition of Simulation between Programs, 1971), computed as a greatest fixed point over the known steps.
package crashes
