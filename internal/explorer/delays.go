// Failures that need longer delays than usual.

package explorer

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/predict"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// delayFailure is a failure of the test because a goroutine was held for longer than usual.
type delayFailure struct {
	prediction *predict.Prediction // nil means a stored schedule
	delay      time.Duration
	outcome    *testsched.Outcome
}

// Bounds of delays, rounded to milliseconds. Longer ones usually are the timeouts of tests.
const (
	maxFound = 100 * time.Millisecond // of a finding; a busy machine may cause such a delay
	maxNoted = time.Second            // of a note
)

// excuses reports whether the failure of a directed or stored run is not a finding, because a goroutine was held for longer than usual and
// tests may rely on such times. The first one that recurs is noted. A failure within maxFound that the code has not judged remains a
// finding.
func (p *predictions) excuses(s *testsched.Schedule, o *testsched.Outcome, number int, usual time.Duration, run execute) bool {
	delay := s.Delay.Round(time.Millisecond)
	if s.Delay <= cmp.Or(usual, testsched.UsualDelay) || !o.Fails() || delay <= maxFound && !judged(o) {
		return false
	}
	if p.delayed == nil && (delay <= maxNoted || s.Prediction == nil) && run(s.Replayed(o, number)).SameFinding(o) {
		p.delayed = &delayFailure{s.Prediction, delay, o}
	}
	return true
}

// judged reports whether the code itself has rejected its run: the test has failed, code has called panic or os.Exit, or a test file has a
// runtime error, for example because a result is missing. A data race, or an operation on a closed channel, is a defect anywhere.
func judged(o *testsched.Outcome) bool {
	if o.HasRace() {
		return false
	}
	file, _, _ := strings.Cut(o.Where, ":")
	operation := o.Kind == testsched.Panic && program.OfOperation(o.Message)
	ends := o.Kind == testsched.Exit || o.Kind == testsched.Panic && !operation
	return o.Kind == testsched.Failed || o.HasFailure() || ends ||
		operation && strings.HasPrefix(o.Message, "runtime error: ") && strings.HasSuffix(file, "_test.go")
}

// delayNote returns the noted failure because of a delay, or nil.
func (p *predictions) delayNote() *summary.Delay {
	if p.delayed == nil {
		return nil
	}
	x, o := p.delayed.prediction, p.delayed.outcome
	what, message, who, where := "fails", o.Message, "a goroutine", " under a saved schedule"
	if o.Kind != testsched.Failed {
		what, message = o.Title()+",", ""
	}
	switch {
	case x != nil && x.Pairs[0][1].Place == 0:
		who, where = "a goroutine of the standard library", ""
	case x != nil:
		where = " where it " + operationText(x.Pairs[0][1], p.places)
	}
	text := strings.TrimSuffix(fmt.Sprintf("%s if %s is held for %v%s: %s", what, who, p.delayed.delay, where, message), ": ")
	return &summary.Delay{Text: text, Delay: p.delayed.delay}
}

// delayLines explains a finding with longer delays than usual.
func delayLines(delay time.Duration) []string {
	if delay <= testsched.UsualDelay {
		return nil
	}
	return []string{fmt.Sprintf("a runnable goroutine is held for up to %v of the test's clock; tests that rely on real time may fail then",
		delay)}
}
