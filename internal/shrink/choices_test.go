package shrink

import (
	"context"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/pathfile"
)

// crashed returns a script in which the first boot ends in a crash after some effects.
func crashed(letters string, after int) Script {
	s := scripted(letters)
	s.Boot = []pathfile.Pick{{Kind: choose.CrashInside, Pick: after}}
	return s
}

// A step is dropped that is needed only because of where a crash strikes. Without such a run, what was tried is claimed.
func TestReduce_ChoicesOfCrashes(t *testing.T) {
	for _, c := range []struct {
		needs string
		after int
		want  string
	}{
		{"bz", 3, "bz"}, // without the step a, the crash is to strike two effects later
		{"z", 9, "z"},
		{"abz", 1, "abz"},
	} {
		r := &reducer{best: crashed("abz", 1)}
		r.report, r.spent, r.halfSpent = func(*reducer) {}, func() bool { return false }, func() bool { return true }
		r.causes = func(s Script) (Script, []int) {
			causes := make([]int, len(s.Steps))
			for i := range causes {
				causes[i] = -1
			}
			return s, causes
		}
		r.judge = func(_ context.Context, s Script) (Script, bool, error) {
			text, after := lettered(s), s.Boot[0].Pick
			return s, text == "abz" && after == 1 || text == c.needs && after == c.after, nil
		}
		r.reduce(t.Context())
		if got := lettered(r.best); got != c.want || r.best.Boot[0].Pick != c.after || !r.minimal || !r.pairs {
			t.Errorf("%s with choice %d, minimal %v, pairs %v; want %s with %d", got, r.best.Boot[0].Pick, r.minimal, r.pairs, c.want, c.after)
		}
	}
}
