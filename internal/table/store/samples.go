package store

// samples decides what is verified: the 1st, 2nd, 4th, 8th, ... and every so often, so that a service
// that is no function of its local state is found early, and goes on being looked for.
type samples struct {
	steps, copies int
	Off           bool
	All           bool // each step is; such ones do not count, since when a state's steps are verified depends on the number of workers
	Rebuild       bool // then: the next step's state
}

const (
	SampleEvery = 1 << 12 // of the first
	sampleFirst = 1 << 20
	rarelyEvery = 1 << 14 // of all others
)

// Sampled reports whether number n of a row, counted from 1, is in the sample.
func (s *samples) Sampled(n int) bool {
	return n&(n-1) == 0 || n%SampleEvery == 0 && (n < sampleFirst || n%rarelyEvery == 0)
}

// Pause stops sampling until what it returns is called: for steps that were all looked up before.
func (s *samples) Pause() (resume func()) {
	s.Off = true
	return func() { s.Off = false }
}

// Due counts a step that was looked up, and reports whether it is to be verified.
func (s *samples) Due() bool {
	if s.Off || s.All {
		return s.All && !s.Off
	}
	s.steps++
	return s.Sampled(s.steps)
}

// Copied counts a step that was verified, and reports whether the state that it was taken from is to be rebuilt.
func (s *samples) Copied() (rebuild bool) {
	if s.All {
		rebuild, s.Rebuild = s.Rebuild, false
		return rebuild
	}
	s.copies++
	return s.Sampled(s.copies)
}
