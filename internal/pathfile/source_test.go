package pathfile_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/pathfile"
)

// Labels of draws and outcomes are for people: an answer is taken whatever its label, and a different label is
// reported.
func TestPickSourceTellsOtherLabels(t *testing.T) {
	for _, c := range []struct{ kind, file, asked, want string }{
		{"survivors", "survivors", "survivors of n2", `asks for outcome "survivors of n2", the file answers "survivors"`},
		{"equal", "survivors", "survivors", ""}, {"none in the file", "", "survivors", ""}, {"none asked", "survivors", "", ""},
	} {
		var s pathfile.Source
		s.Reset([]pathfile.Pick{{Kind: choose.Outcome, Pick: 1, Label: c.file}})
		if got := s.Choose(choose.Point{Kind: choose.Outcome, Arity: 2, Label: c.asked}); got != 1 || s.Renamed() != c.want || s.Done() != nil {
			t.Errorf("%s: %d, %q, %v", c.kind, got, s.Renamed(), s.Done())
		}
		if s.Reset(nil); s.Renamed() != "" {
			t.Errorf("%s: %q is left", c.kind, s.Renamed())
		}
	}
}

func TestPickSource(t *testing.T) {
	point := func(kind choose.Kind, arity int, label string) choose.Point {
		return choose.Point{Kind: kind, Arity: arity, Label: label}
	}
	const D, C, F, O = choose.Draw, choose.Compare, choose.Fault, choose.Outcome
	for name, c := range map[string]struct {
		picks  []pathfile.Pick
		points []choose.Point
		want   []int
		err    string
	}{
		"kinds do not get into each other's way": {
			picks:  []pathfile.Pick{{D, 2, ""}, {C, 1, ""}, {D, 1, ""}},
			points: []choose.Point{point(C, 2, ""), point(D, 3, ""), point(D, 1, "forced"), point(D, 2, "")},
			want:   []int{1, 2, 0, 1},
		},
		"more faults are asked than the file knows": {
			picks:  []pathfile.Pick{{D, 1, ""}},
			points: []choose.Point{point(F, 4, "crash"), point(D, 2, "")},
			want:   []int{0, 1},
		},
		"a fault strikes at the first point": {
			picks:  []pathfile.Pick{{F, 3, ""}, {O, 1, ""}},
			points: []choose.Point{point(F, 4, "crash"), point(O, 2, ""), point(F, 4, "crash")},
			want:   []int{3, 1, 0},
		},
		"kinds tell faults apart, whatever their labels": {
			picks:  []pathfile.Pick{{choose.HaltInside, 1, ""}},
			points: []choose.Point{point(choose.CrashInside, 2, "fails"), point(choose.HaltInside, 2, "fails"), point(choose.HaltInside, 2, "fails")},
			want:   []int{0, 1, 0},
		},
		"faults are taken in order": {
			picks:  []pathfile.Pick{{choose.HaltInside, 1, ""}, {choose.CrashInside, 2, ""}},
			points: []choose.Point{point(choose.CrashInside, 3, ""), point(choose.HaltInside, 2, ""), point(choose.CrashInside, 3, "")},
			want:   []int{0, 1, 2},
		},
		"no pick": {
			picks:  []pathfile.Pick{{C, 1, ""}},
			points: []choose.Point{point(D, 2, "peer"), point(D, 2, "child"), point(C, 2, "")},
			want:   []int{0, 0, 1},
			err:    `draw "peer" has no pick in the file`,
		},
		"out of range": {
			picks:  []pathfile.Pick{{D, 2, ""}},
			points: []choose.Point{point(D, 2, "peer")},
			want:   []int{0},
			err:    `draw "peer" has 2 alternatives, but the file picks 2 (counted from 0)`,
		},
		"left over": {
			picks:  []pathfile.Pick{{D, 0, ""}, {F, 2, "crash"}},
			points: []choose.Point{point(D, 2, "")},
			want:   []int{0},
			err:    `the file picks alternative 2 of fault "crash", but there was no such point`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var s pathfile.Source
			s.Reset([]pathfile.Pick{{D, 5, ""}}) // must have no effect
			s.Choose(point(D, 2, ""))
			s.Reset(c.picks)
			var got []int
			for _, p := range c.points {
				got = append(got, s.Choose(p))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("answers %v, want %v", got, c.want)
			}
			if err := s.Done(); c.err == "" && err != nil || c.err != "" && (err == nil || err.Error() != c.err) {
				t.Errorf("Done() = %v, want %q", err, c.err)
			}
		})
	}
}
