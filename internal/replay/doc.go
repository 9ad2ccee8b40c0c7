// Package replay executes paths step by step. It is the only caller of [kernel.World.Step]: search, critical
// transition, debugger and reports all use a [Run].
package replay
