package testsched

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/testsched/program"
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

// The critical step of a run is the same occurrence of its operation in another process, whatever precedes it there.
func TestMinimized_Show(t *testing.T) {
	event := func(who, place uint64, at string) Event {
		return Event{Who: who, Place: place, Op: program.OpLock, At: at}
	}
	trace := []Event{event(5, 1, "a"), event(6, 1, "b"), event(5, 2, "b"), event(5, 3, "b"), event(5, 4, "c")}
	shifted := []Event{event(5, 1, "a"), event(5, 2, "init"), event(5, 3, "init"), event(6, 1, "b"), event(5, 4, "b"), event(5, 5, "b"), event(5, 6, "c")}
	for critical, want := range []int{0, 1, 4, 5, 6, 7} {
		m := &Minimized{Critical: critical, Outcome: &Outcome{Trace: trace}}
		if m.show(&Outcome{Trace: shifted}); m.Critical != want || len(m.Outcome.Trace) != len(shifted) {
			t.Errorf("step %d is step %d, want %d", critical, m.Critical, want)
		}
	}
	m := &Minimized{Critical: 4, Outcome: &Outcome{Trace: trace}}
	if m.show(&Outcome{Trace: trace[:3]}); m.Critical != 0 {
		t.Errorf("step 4 is step %d of a run without it", m.Critical)
	}
}

// A step is not critical if the default order passes after it, although random continuations fail.
func TestMinimized_CriticalDefaultOrder(t *testing.T) {
	o := &Outcome{Kind: Race, Executed: 8}
	for n := range o.Executed {
		o.Trace = append(o.Trace, Event{Count: n + 1})
	}
	m := &Minimized{Schedule: &Schedule{Switches: []Switch{{1, 1, 2}}}, Outcome: o}
	m.critical(func(s *Schedule) *Outcome {
		if s.Policy == Default && (s.Until == 0 && s.Switches == nil || s.Until > 0 && s.Until < 5) {
			return &Outcome{}
		}
		return o
	})
	if m.Critical != 5 {
		t.Errorf("step %d is critical, want step 5", m.Critical)
	}
}
