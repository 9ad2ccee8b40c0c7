package testsched

// Subtest is a subtest of a run.
type Subtest struct {
	Name     string
	Parent   int  // its index; -1 means the test function
	Leaf     bool // it has no subtests
	Parallel bool
	Ended    bool
	Failed   bool
	Choices  uint64 // points with a choice from its start to that of the next one
	Points   uint64 // all points
}

// Sequential reports whether the subtest seems to have no concurrency. Package testing has two choices when it starts and ends a subtest.
func (l *Subtest) Sequential() bool {
	return l.Leaf && !l.Parallel && l.Ended && !l.Failed && l.Choices <= 2
}

// Runner executes a test, which may have subtests.
type Runner interface {
	// Run executes the test once. With traced, the outcome includes the events.
	Run(s *Schedule, traced bool) *Outcome
	// Changed returns the names of package variables that are not restored and whose value before the latest run differed from the one
	// before the first.
	Changed() []string
	// Subtests returns the subtests of the latest run, in the order in which they started.
	Subtests() []Subtest
	// Specs lists the specs of a suite, as its framework does. An empty text means that the test is not such a suite.
	Specs() string
	// Select restricts later runs to a subtest and those below it, and leaves out others. An empty name means all subtests. With shown, the
	// next run counts as the first one, whose output is shown.
	Select(only string, without []string, shown bool)
	// Part returns a runner that executes one subtest, and those below it.
	Part(test string) Runner
}
