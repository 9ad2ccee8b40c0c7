//go:build !macemc_overlay

package bubble

const hooked = false

// Nothing of this is called: a node does not start without the overlay.
func begin(*control)           {}
func end()                     {}
func next() int64              { return 0 }
func run(func())               {}
func abort(uint64)             {}
func kill()                    {}
func spin()                    {}
func yield()                   {}
func quiet(int32)              {}
func heir(_, _, _ uint64) bool { return false }
func enter() (bubble uint64)   { return 0 }
func id() uint64               { return 0 }
func callers([]uintptr) int    { return 0 }
func reason(uint8) string      { return "" }
func unexplored(string)        {}
func network(system)           {}
