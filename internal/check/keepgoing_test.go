package check_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/search/strategy"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// faultyDoor has several defects: two ways to break in, one to flood, one to panic, and one to lock itself forever.
type faultyDoor struct {
	sim.Nop
	Turns       int
	Creaks      int
	In, Flooded bool
	Locked      bool
}

func (d *faultyDoor) turn(sim.Env)   { d.Turns++ }
func (d *faultyDoor) window(sim.Env) { d.In = true }
func (d *faultyDoor) roof(sim.Env)   { d.In = true }
func (d *faultyDoor) flood(sim.Env)  { d.Flooded = true }
func (d *faultyDoor) kick(sim.Env)   { panic("the door is broken") }
func (d *faultyDoor) lock(sim.Env)   { d.Locked = true }

func doorSystem(harms ...string) sim.System {
	at := func(turns int) func(*faultyDoor) bool {
		return func(d *faultyDoor) bool { return d.Turns == turns && !d.Locked }
	}
	all := []sim.Action[*faultyDoor]{
		{Name: "window", When: at(1), Do: (*faultyDoor).window},
		{Name: "roof", When: at(2), Do: (*faultyDoor).roof},
		{Name: "flood", When: at(3), Do: (*faultyDoor).flood},
		{Name: "kick", When: at(4), Do: (*faultyDoor).kick},
		{Name: "lock", When: at(5), Do: (*faultyDoor).lock},
	}
	sys := sim.System{
		Name: "door", Nodes: 1, New: func(sim.NodeID) sim.Service { return &faultyDoor{} },
		Actions: []sim.AnyAction{sim.Action[*faultyDoor]{Name: "turn", Times: 7, Do: (*faultyDoor).turn,
			When: func(d *faultyDoor) bool { return !d.Locked }}},
		Properties: []sim.Property{
			{Name: "nobody is in", Always: func(v *sim.View) bool { return !v.Service(0).(*faultyDoor).In }},
			{Name: "it is dry", Always: func(v *sim.View) bool { return !v.Service(0).(*faultyDoor).Flooded }},
			{Name: "it turns often", Eventually: func(v *sim.View) bool { return v.Service(0).(*faultyDoor).Turns == 7 }},
		},
	}
	for _, a := range all {
		if slices.Contains(harms, a.Name) {
			sys.Actions = append(sys.Actions, a)
		}
	}
	return sys
}

// told returns the data that distinguishes findings.
func told(rep *report.Report) (list []string) {
	for _, f := range rep.Findings {
		action := ""
		if f.Dead != nil {
			at := len(f.Dead.Steps)
			if f.Critical != nil {
				at = f.Critical.Step
			}
			action = f.Dead.Steps[at-1].Key
		}
		list = append(list, strings.Join([]string{string(f.Kind), f.Property, action}, ", "))
	}
	return list
}

var everything = []string{"deadlock, it turns often, action n0 lock", "panic, , action n0 kick",
	"safety, it is dry, action n0 flood", "safety, nobody is in, action n0 roof", "safety, nobody is in, action n0 window"}

// A search that continues finds violations that differ by kind, property or handler, each once, shrunk and with a
// folder. Its findings and messages do not depend on the number of workers.
func TestKeepGoing(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	for _, name := range strategy.Names(strategy.Walks) {
		t.Run(name, func(t *testing.T) {
			var first []string
			for _, workers := range []int{1, 3} {
				t.Chdir(t.TempDir())
				rep, err := check.Run(t.Context(), check.Options{KeepGoing: true, Search: search.Config{
					System: doorSystem("window", "roof", "flood", "kick", "lock"), Strategy: search.Name(name), Workers: workers, MaxPaths: 200, WalkSteps: 100,
				}})
				if err != nil {
					t.Fatal(err)
				}
				got := told(rep)
				if first == nil {
					first = got
				}
				if !slices.Equal(got, first) {
					t.Errorf("%d workers find %q, one finds %q", workers, got, first)
				}
				if sorted := slices.Sorted(slices.Values(got)); !slices.Equal(sorted, everything) {
					t.Errorf("found %q, want %q", sorted, everything)
				}
				if rep.Verdict != search.Violation || rep.Coverage.Complete || rep.Alike == 0 {
					t.Errorf("%s, complete %v, %d alike", rep.Verdict, rep.Coverage.Complete, rep.Alike)
				}
				folders := map[string]bool{}
				for _, f := range rep.Findings {
					folders[filepath.Dir(f.PathFile)] = true
					if f.Shrunk == nil || f.Kind != sim.Deadlock && f.Steps > 5 {
						t.Errorf("%s, %s: %d steps, shrunk %v", f.Kind, f.Property, f.Steps, f.Shrunk != nil)
					}
					if _, err := os.Stat(f.PathFile); err != nil {
						t.Error(err)
					}
				}
				if len(folders) != len(everything) {
					t.Errorf("folders %v", folders)
				}
			}
		})
	}
}

// Searches by states continue after violations of Always properties, and report that other violations end them.
func TestKeepGoingByStates(t *testing.T) {
	for _, strategy := range []search.Name{search.BFS, search.DFS} {
		for _, visited := range []string{"exact", "64"} {
			for _, depth := range []int{0, 7} {
				if testing.Short() && ((visited == "exact") != (depth == 0) || (visited == "exact") != (strategy == search.BFS)) {
					continue
				}
				t.Chdir(t.TempDir())
				o := check.Options{KeepGoing: true, Search: search.Config{
					System: doorSystem("window", "roof", "flood", "kick"), Strategy: strategy, Visited: visited, MaxDepth: depth, Workers: 2,
				}}
				rep, err := check.Run(t.Context(), o)
				if err != nil {
					t.Fatal(err)
				}
				got := slices.Sorted(slices.Values(told(rep)))
				for i := range got { // which of the two handlers depends on the order of visits
					got[i] = strings.TrimSuffix(strings.TrimSuffix(got[i], " roof"), " window")
				}
				want := []string{"panic, , action n0 kick", "safety, it is dry, action n0 flood", "safety, nobody is in, action n0"}
				if !slices.Equal(got, want) || !strings.Contains(rep.Ended, "Always") {
					t.Errorf("%s, %s, depth %d: %q, ended %q", strategy, visited, depth, got, rep.Ended)
				}
				o.Search.System = doorSystem("window", "roof", "flood")
				if rep, err = check.Run(t.Context(), o); err != nil {
					t.Fatal(err)
				}
				if n := len(rep.Findings); n != 2 || rep.Ended != "" || rep.Verdict != search.Violation || rep.Coverage.Complete || rep.Coverage.Recovers {
					t.Errorf("%s, %s, depth %d: %d findings, ended %q, %s, %+v", strategy, visited, depth, n, rep.Ended, rep.Verdict, rep.Coverage)
				}
			}
		}
	}
}

// An unexpanded state is not reported as dead for that reason, but dead states are found.
func TestKeepGoingByStatesFindsTheDead(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, strategy := range []search.Name{search.BFS, search.DFS} {
		rep, err := check.Run(t.Context(), check.Options{KeepGoing: true, Search: search.Config{
			System: doorSystem("window", "lock"), Strategy: strategy, Workers: 2}})
		if err != nil {
			t.Fatal(err)
		}
		if got := told(rep); len(got) != 2 || got[1] != "deadlock, it turns often, action n0 lock" {
			t.Errorf("%s: %q", strategy, got)
		}
		if _, err := os.Stat(rep.Findings[1].PathFile); err != nil {
			t.Error(err)
		}
	}
}

// Findings are kept if the search is interrupted. Without findings, the verdict is the usual one.
func TestKeepGoingUntilInterrupted(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	rep, err := check.Run(ctx, check.Options{KeepGoing: true, Search: search.Config{System: doorSystem("window", "roof"), Strategy: search.Walk, Workers: 2, Time: 10 * time.Minute,
		Progress: func(search.Progress) {
			if found, _ := filepath.Glob("macemc-out/*/error.path"); len(found) == 2 {
				cancel()
			}
		}}})
	if err != nil {
		t.Fatal(err)
	}
	if len(rep.Findings) != 2 || rep.Stopped != stats.StoppedInterrupted || exitcode.Of(rep.Verdict, nil) != exitcode.Violation {
		t.Errorf("%d findings, %s, %s", len(rep.Findings), rep.Stopped, rep.Verdict)
	}
	rep, err = check.Run(t.Context(), check.Options{KeepGoing: true, Search: search.Config{System: doorSystem(), Strategy: search.BFS}})
	if err != nil || rep.Verdict != search.OK || rep.Findings == nil || !rep.Coverage.Complete {
		t.Errorf("without defects: %+v, %v", rep, err)
	}
}

// A dead run without a proven critical step is not distinguished from another one of its kind and property, and the
// report names the other step. Runs with proven steps are distinguished.
func TestKeepGoingUnproven(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	bolt := sim.Action[*faultyDoor]{Name: "bolt", Do: func(d *faultyDoor, _ sim.Env) { d.Locked = true },
		When: func(d *faultyDoor) bool { return d.Turns == 2 && !d.Locked }}
	creak := sim.Action[*faultyDoor]{Name: "creak", Do: func(d *faultyDoor, _ sim.Env) { d.Creaks++ }}
	for _, endless := range []bool{false, true} {
		t.Chdir(t.TempDir())
		sys := doorSystem("lock")
		sys.Actions = append(sys.Actions, bolt)
		if endless {
			sys.Actions = append(sys.Actions, creak)
		}
		rep, err := check.Run(t.Context(), check.Options{KeepGoing: true, Search: search.Config{
			System: sys, Strategy: search.Walk, MaxPaths: 20, Walks: 40, WalkSteps: 100, Workers: 2}, NoShrink: true})
		if err != nil {
			t.Fatal(err)
		}
		text, _, _, _ := rendered(t, rep, 200, sys.Properties)
		const says = "no critical step is proven"
		if !endless {
			if len(rep.Findings) != 2 || rep.Unsure != nil || strings.Contains(text, says) {
				t.Errorf("proven: %q, unsure %v\n%s", told(rep), rep.Unsure, text)
			}
			continue
		}
		if len(rep.Findings) != 1 || len(rep.Unsure) != 1 || rep.Unsure[0].Count == 0 || rep.Unsure[0].Count > rep.Alike ||
			!strings.Contains(text, says) || !strings.Contains(text, rep.Unsure[0].Handler) {
			t.Errorf("not proven: %q, unsure %v of %d\n%s", told(rep), rep.Unsure, rep.Alike, text)
		}
	}
}

func TestKeepGoingFormats(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Chdir(t.TempDir())
	sys := doorSystem("window", "roof", "flood")
	rep, err := check.Run(t.Context(), check.Options{KeepGoing: true, Dir: "out", Search: search.Config{System: sys, Strategy: search.Walk, MaxPaths: 100, Workers: 1}})
	if err != nil {
		t.Fatal(err)
	}
	text, page, xml, _ := rendered(t, rep, 0, sys.Properties)
	if rep.Telling <= 0 {
		t.Error("describing took no time")
	}
	for _, want := range []string{"finding 1 of 3\n", "finding 3 of 3\n", "door: SAFETY VIOLATION", "door: 3 DIFFERENT VIOLATIONS in ",
		"safety violation of it is dry by ", ": out/1\n", ": out/3\n", "not searched: states after a violation", "more violations like these"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	if n := strings.Count(xml, "<failure "); n != 3 || !strings.Contains(xml, `name="nobody is in (2)"`) ||
		strings.Contains(xml, "ended with a violation of something else") {
		t.Errorf("%d failures in\n%s", n, xml)
	}
	var object struct {
		Verdict  string
		Findings []struct {
			Property string `json:"property"`
			PathFile string `json:"path_file"`
		}
	}
	if err := json.Unmarshal([]byte(page), &object); err != nil || len(object.Findings) != 3 || object.Verdict != "violation" ||
		object.Findings[0].PathFile != filepath.Join("out", "1", "error.path") {
		t.Errorf("%+v, %v", object, err)
	}
}
