package search

import "github.com/macemc/macemc/internal/search/runloop"

// Alternating returns c with the engine switched after each run.
func Alternating(c Config) Config {
	c.Engine, c.alternate = runloop.AutoEngine, true
	return c
}
