package testsched

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
)

// runnerFunc returns the kind of a run's end and the run's switches.
type runnerFunc func(*Schedule) (Kind, []Switch)

func (f runnerFunc) Run(s *Schedule, _ bool) *Outcome {
	kind, switches := f(s)
	return &Outcome{Kind: kind, Switches: switches}
}

func (runnerFunc) Changed() []string { return nil }

// The nearest passing schedule lacks one switch if such a schedule passes. Otherwise it has none, or else a few switches of a random one.
func TestSettings_Nearest(t *testing.T) {
	a, b, c := Switch{1, 1, 2}, Switch{1, 2, 2}, Switch{2, 1, 1}
	for name, x := range map[string]struct {
		list  []Switch
		fails func(*Schedule) (Kind, []Switch)
		want  []Switch // nil means that there is no file
	}{
		"last one that lets it pass": {[]Switch{a, b, c}, func(s *Schedule) (Kind, []Switch) {
			if slices.Contains(s.Switches, a) && slices.Contains(s.Switches, b) {
				return Deadlock, nil
			}
			return Passed, nil
		}, []Switch{a, c}},
		"default order": {[]Switch{a, b}, func(s *Schedule) (Kind, []Switch) {
			if len(s.Switches) > 0 {
				return Deadlock, nil
			}
			return Passed, nil
		}, []Switch{}},
		"random": {nil, func(s *Schedule) (Kind, []Switch) {
			if s.Policy == Random || slices.Contains(s.Switches, b) {
				return Passed, []Switch{a, b, c}
			}
			return Deadlock, nil
		}, []Switch{b}},
		"none": {[]Switch{a}, func(*Schedule) (Kind, []Switch) { return Deadlock, nil }, nil},
	} {
		s := &Settings{outcome: filepath.Join(t.TempDir(), "outcome")}
		s.nearest(&Schedule{Switches: x.list}, &Outcome{Kind: Deadlock}, runnerFunc(x.fails))
		text, err := os.ReadFile(NearestFile(s.outcome))
		if x.want == nil {
			if err == nil {
				t.Errorf("%s: a schedule passes: %s", name, text)
			}
			continue
		}
		o := Decode(string(text))
		if err != nil || o == nil || o.Kind != Passed || !reflect.DeepEqual(append([]Switch{}, o.Switches...), x.want) {
			t.Errorf("%s: got %+v, %v, want the switches %v", name, o, err, x.want)
		}
	}
}

func TestStored_Critical(t *testing.T) {
	trace := []Event{{Who: 5, Place: 1}, {Who: 6, Place: 1}, {Who: 5, Place: 2}}
	for _, c := range []struct {
		who, place uint64
		want       int
	}{{5, 2, 3}, {6, 1, 2}, {6, 2, 0}, {0, 0, 0}} {
		if got := (&Stored{CriticalWho: c.who, CriticalPlace: c.place}).Critical(trace); got != c.want {
			t.Errorf("point %d of goroutine %d is step %d, want %d", c.place, c.who, got, c.want)
		}
	}
}
