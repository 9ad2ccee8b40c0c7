package explorer

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/testsched"
)

// The nearest passing schedule lacks one switch if such a schedule passes. Otherwise it has none, or else a few switches of a random one.
func TestSettings_Nearest(t *testing.T) {
	a, b, c := testsched.Switch{Who: 1, Place: 1, To: 2}, testsched.Switch{Who: 1, Place: 2, To: 2}, testsched.Switch{Who: 2, Place: 1,
		To: 1}
	for name, x := range map[string]struct {
		list  []testsched.Switch
		fails func(*testsched.Schedule) (testsched.Kind, []testsched.Switch)
		want  []testsched.Switch // nil means that there is no file
	}{
		"last one that lets it pass": {[]testsched.Switch{a, b, c}, func(s *testsched.Schedule) (testsched.Kind, []testsched.Switch) {
			if slices.Contains(s.Switches, a) && slices.Contains(s.Switches, b) {
				return testsched.Deadlock, nil
			}
			return testsched.Passed, nil
		}, []testsched.Switch{a, c}},
		"default order": {[]testsched.Switch{a, b}, func(s *testsched.Schedule) (testsched.Kind, []testsched.Switch) {
			if len(s.Switches) > 0 {
				return testsched.Deadlock, nil
			}
			return testsched.Passed, nil
		}, []testsched.Switch{}},
		"random": {nil, func(s *testsched.Schedule) (testsched.Kind, []testsched.Switch) {
			if s.Policy == testsched.Random || slices.Contains(s.Switches, b) {
				return testsched.Passed, []testsched.Switch{a, b, c}
			}
			return testsched.Deadlock, nil
		}, []testsched.Switch{b}},
		"none": {[]testsched.Switch{a}, func(*testsched.Schedule) (testsched.Kind, []testsched.Switch) { return testsched.Deadlock, nil },
			nil},
	} {
		s := &Settings{Options: Options{Passing: Passing{Outcome: filepath.Join(t.TempDir(), "outcome")}}}
		s.nearest(&testsched.Schedule{Switches: x.list}, &testsched.Outcome{Kind: testsched.Deadlock},
			runner(func(s *testsched.Schedule) *testsched.Outcome {
				kind, switches := x.fails(s)
				return &testsched.Outcome{Kind: kind, Switches: switches}
			}))
		text, err := os.ReadFile(NearestFile(s.Outcome))
		if x.want == nil {
			if err == nil {
				t.Errorf("%s: a schedule passes: %s", name, text)
			}
			continue
		}
		o := testsched.Decode(text)
		if err != nil || o == nil || o.Kind != testsched.Passed || !reflect.DeepEqual(append([]testsched.Switch{}, o.Switches...), x.want) {
			t.Errorf("%s: got %+v, %v, want the switches %v", name, o, err, x.want)
		}
	}
}
