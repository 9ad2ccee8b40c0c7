package task

import (
	"fmt"

	"github.com/macemc/macemc/internal/recording"
)

// Doubts prints on standard error which parts of the recordings are not in the run, if any.
func (p *Process) Doubts(m *recording.Merged) bool {
	for _, n := range m.Notes {
		fmt.Fprintf(p.Stderr, "macemc: recording: %s\n", n)
	}
	if m.Disagreement != nil {
		fmt.Fprintf(p.Stderr, "macemc: recording: the recording differs from the checked system: %v\n", m.Disagreement)
	}
	left := 0
	for _, n := range m.Left {
		left += n
	}
	if left > 0 {
		fmt.Fprintf(p.Stderr, "macemc: recording: %d events are not part of the run, by node: %v\n", left, m.Left)
	}
	return m.Disagreement != nil || left > 0
}
