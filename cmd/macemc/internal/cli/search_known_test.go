package cli

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// doorTest is a test with a way in. DOOR_LOCKED closes it. DOOR_FLOOD adds another defect, DOOR_STUCK a dead state, and DOOR_EXIT a step that
// ends the process.
const doorTest = `package door

import (
	"os"
	"testing"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/sim"
)

type door struct {
	sim.Nop
	Turns               int
	In, Flooded, Locked bool
}

func TestDoor(t *testing.T) {
	action := func(name string, turns, times int, do func(*door)) sim.AnyAction {
		return sim.Action[*door]{Name: name, Times: times, When: func(d *door) bool { return turns < 0 || d.Turns == turns },
			Do: func(d *door, _ sim.Env) { do(d) }}
	}
	sys := sim.System{
		Nodes: 1, Timing: sim.Prompt, New: func(sim.NodeID) sim.Service { return &door{} },
		Actions: []sim.AnyAction{
			action("turn", -1, 4, func(d *door) { d.Turns++ }),
			action("window", 1, 1, func(d *door) { d.In = os.Getenv("DOOR_LOCKED") == "" }),
		},
		Properties: []sim.Property{
			{Name: "nobody is in", Always: sim.Each(func(_ sim.NodeID, d *door) bool { return !d.In })},
			{Name: "it is dry", Always: sim.Each(func(_ sim.NodeID, d *door) bool { return !d.Flooded })},
		},
	}
	if os.Getenv("DOOR_FLOOD") != "" {
		sys.Actions = append(sys.Actions, action("flood", 3, 1, func(d *door) { d.Flooded = true }))
	}
	if os.Getenv("DOOR_STUCK") != "" {
		sys.Actions = append(sys.Actions, action("lock", 2, 1, func(d *door) { d.Locked = true }))
		sys.Properties = append(sys.Properties, sim.Property{Name: "it opens", Eventually: sim.Each(func(_ sim.NodeID, d *door) bool { return !d.Locked })})
	}
	if os.Getenv("DOOR_EXIT") != "" {
		sys.Actions = append(sys.Actions, action("kick", 2, 1, func(*door) { os.Exit(7) }))
	}
	mctest.Check(t, sys)
}
`

// A search of a package reports what its committed regression tests do not accept.
func TestSearch_Known(t *testing.T) {
	dir := filepath.Join(testModule(t), "door")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "door_test.go"), []byte(doorTest), 0o644); err != nil {
		t.Fatal(err)
	}
	search := func(want int, args ...string) string {
		t.Helper()
		out, status := runHere(t, dir, append([]string{"search", ".", "--workers", "1"}, args...)...)
		if status != want {
			t.Fatalf("%q: status %d, want %d:\n%s", args, status, want, out)
		}
		return out
	}
	accept := func(file string) {
		t.Helper()
		file = filepath.Join(dir, "testdata", "regress", file)
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(string(text), "\n", "\nknown issue 12\n", 1)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	search(1, "--write-test")
	accept("Door_1.path")
	const window = `^  known: safety violation of nobody is in by action window \(door_test.go:20\); found in \d+ runs?:\s+issue 12 \(testdata/regress/Door_1.path\)$`
	expect(t, search(0, "--junit", "known.xml", "--sarif", "known.sarif"), window, `^TestDoor: nothing new found in .*: bounded, NOT a proof$`,
		`^  not searched: states after a known finding$`, `^macemc: 0 new, 1 known, 0 fixed$`)
	var object struct {
		Verdict string
		Known   []struct {
			File, Reason, Status string
			Runs                 int
		}
	}
	if err := json.Unmarshal([]byte(search(0, "--json")), &object); err != nil || object.Verdict != "ok" || len(object.Known) != 1 ||
		object.Known[0].Reason != "issue 12" || object.Known[0].Status != "known" || object.Known[0].Runs == 0 {
		t.Errorf("%+v, %v", object, err)
	}
	for file, want := range map[string]string{
		"known.xml":   `<skipped message="known: safety violation of nobody is in by action window (door_test.go:20); found in`,
		"known.sarif": `"justification": "issue 12 (testdata/regress/Door_1.path)"`,
	} {
		if text, err := os.ReadFile(filepath.Join(dir, file)); err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s: %q is missing, %v\n%s", file, want, err, text)
		}
	}
	expect(t, search(1, "--durable", "stored"), `^macemc: known findings are reported as new ones, because`)
	expect(t, search(0, "--strategy", "bfs"), `bfs takes all violations of nobody is in for it`,
		`everything that can happen in the first \d+ steps of a run, except\s+after\s+known findings`, `, states after known findings were not visited: bounded, NOT a proof`)

	// A dead state can be accepted, too.
	t.Setenv("DOOR_STUCK", "1")
	expect(t, search(1, "--write-test", "--workers", "2"), `"it opens" `, `^macemc: 1 new, 1 known, 0 fixed$`)
	accept("Door_2.path")
	expect(t, search(0, "--workers", "2"), `^macemc: 0 new, 2 known, 0 fixed$`)
	os.Unsetenv("DOOR_STUCK")
	for _, file := range []string{filepath.Join("testdata", "regress", "Door_2.path"), "regress_door_2_test.go"} {
		if err := os.Remove(filepath.Join(dir, file)); err != nil {
			t.Fatal(err)
		}
	}

	// Others are new: in the search itself, or if they end its process.
	t.Setenv("DOOR_FLOOD", "1")
	expect(t, search(1, "--write-test"), `^TestDoor: SAFETY VIOLATION`, `"it is dry" is violated`, window, `^macemc: 1 new, 1 known, 0 fixed$`)
	accept("Door_2.path")
	expect(t, search(0), `^macemc: 0 new, 2 known, 0 fixed$`)
	t.Setenv("DOOR_EXIT", "1")
	expect(t, search(1, "--write-test"), `^TestDoor: PANIC`, `^macemc: 1 new, 2 known, 0 fixed$`)
	accept("Door_3.path")
	expect(t, search(3), `^TestDoor: INCONCLUSIVE`, `^  known, and nothing else could be looked at, because the search stopped at it: it terminated`, `^macemc: 0 new, 3 known, 0 fixed$`)
	os.Unsetenv("DOOR_EXIT")
	if err := os.Remove(filepath.Join(dir, "testdata", "regress", "Door_3.path")); err != nil {
		t.Fatal(err)
	}

	// The regression tests are skipped, and so are accepted findings of go test.
	goTest := func() string {
		cmd := exec.Command("go", "test", "-v", "-macemc.max-paths=300")
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return string(out)
	}
	if err := os.Remove(filepath.Join(dir, "regress_door_3_test.go")); err != nil {
		t.Fatal(err)
	}
	expect(t, goTest(), `^--- PASS: TestDoor `, `macemc: 0 new, 2 known, 0 fixed`, `^--- SKIP: TestDoor_Regress1`, `^--- SKIP: TestDoor_Regress2`,
		`testdata/regress/Door_1.path: known: safety violation of nobody is in by regress_door_1_test.go:15: issue 12`)
	t.Setenv("DOOR_LOCKED", "1")
	expect(t, search(0), `^  fixed: safety violation of nobody is in: testdata/regress/Door_1.path violates nothing; remove\s+its line "known"$`,
		`^macemc: 0 new, 1 known, 1 fixed$`)
	expect(t, goTest(), `^--- PASS: TestDoor_Regress1`, `the known finding is fixed: remove the line "known"`)

	// A file is named if its test was renamed.
	if err := os.WriteFile(filepath.Join(dir, "door_test.go"), []byte(strings.Replace(doorTest, "TestDoor(", "TestGate(", 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	expect(t, search(1), `^  not used: testdata/regress/Door_1.path: test TestDoor does not exist; correct the lines "test"\s+and "system"$`,
		`^macemc: 1 new, 0 known, 0 fixed$`)
	if err := os.WriteFile(filepath.Join(dir, "door_test.go"), []byte(doorTest), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "testdata", "regress", "Door_1.path"), []byte("macemc path 1\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	expect(t, search(2), `testdata/regress/Door_1.path: line 1: the file is truncated`)
}
