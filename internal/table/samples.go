package table

// samples decides what is verified: the 1st, 2nd, 4th, 8th, ... and every so often, so that a service
// that is no function of its local state is found early, and goes on being looked for.
type samples struct {
	steps, copies int
	off           bool
	all           bool // each step is; such ones do not count, since when a state's steps are verified depends on the number of workers
	rebuild       bool // then: the next step's state
}

const (
	sampleEvery = 1 << 12 // of the first
	sampleFirst = 1 << 20
	rarelyEvery = 1 << 14 // of all others
)

// sampled reports whether number n of a row, counted from 1, is in the sample.
func (s *samples) sampled(n int) bool {
	return n&(n-1) == 0 || n%sampleEvery == 0 && (n < sampleFirst || n%rarelyEvery == 0)
}

// pause stops sampling until what it returns is called: for steps that were all looked up before.
func (s *samples) pause() (resume func()) {
	s.off = true
	return func() { s.off = false }
}

// due counts a step that was looked up, and reports whether it is to be verified.
func (s *samples) due() bool {
	if s.off || s.all {
		return s.all && !s.off
	}
	s.steps++
	return s.sampled(s.steps)
}

// copied counts a step that was verified, and reports whether the state that it was taken from is to be rebuilt.
func (s *samples) copied() (rebuild bool) {
	if s.all {
		rebuild, s.rebuild = s.rebuild, false
		return rebuild
	}
	s.copies++
	return s.sampled(s.copies)
}
