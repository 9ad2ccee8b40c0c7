package store

// samples selects steps to verify: the 1st, 2nd, 4th, 8th, ... and every 4,096th, after a million every 16,384th.
// Thus a service that is not a function of its local state is found early, and still later.
type samples struct {
	steps, copies int
	Off           bool
	All           bool // verify each step, without counting: when the steps of a state are verified depends on the number of workers
	Rebuild       bool // with All: rebuild the state of the next step
}

const (
	SampleEvery = 1 << 12 // among the first
	sampleFirst = 1 << 20
	rarelyEvery = 1 << 14 // among the others
)

// Sampled reports whether the n'th item, counted from 1, is in the sample.
func (s *samples) Sampled(n int) bool {
	return n&(n-1) == 0 || n%SampleEvery == 0 && (n < sampleFirst || n%rarelyEvery == 0)
}

// Pause disables sampling until resume is called, for steps that were looked up before.
func (s *samples) Pause() (resume func()) {
	s.Off = true
	return func() { s.Off = false }
}

// Due counts a step that was looked up, and reports whether to verify it.
func (s *samples) Due() bool {
	if s.Off || s.All {
		return s.All && !s.Off
	}
	s.steps++
	return s.Sampled(s.steps)
}

// Copied counts a verified step, and reports whether to rebuild the state that it was taken from.
func (s *samples) Copied() (rebuild bool) {
	if s.All {
		rebuild, s.Rebuild = s.Rebuild, false
		return rebuild
	}
	s.copies++
	return s.Sampled(s.copies)
}
