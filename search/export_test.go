package search

// Alternating returns c with the engine switched after each run.
func Alternating(c Config) Config {
	c.Engine, c.alternate = AutoEngine, true
	return c
}

// Unguarded makes the loop run like those of workers, which guard units of many runs.
func (l *Loop) Unguarded() { l.guarded = false }
