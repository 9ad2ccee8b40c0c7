package search

// Alternating returns c with each run executed by the engine that did not execute the one before.
func Alternating(c Config) Config {
	c.Engine, c.alternate = AutoEngine, true
	return c
}

// Unguarded has runs made as workers make them, which guard units of many runs.
func (l *Loop) Unguarded() { l.guarded = false }
