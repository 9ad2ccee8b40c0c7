package search

// Alternating returns c with the engine switched after each run.
func Alternating(c Config) Config {
	c.Engine, c.alternate = AutoEngine, true
	return c
}
