package cli

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// oracle executes the random programs of testdata/oracle. It returns their ends and the output. The ends are those that happened, those that
// are possible by the model and, for programs with timers of several durations, those with unlimited delays.
func oracle(t *testing.T, args ...string) (happened, possible, unlimited map[int]map[string]bool, output string) {
	t.Helper()
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	leanBuilds(t)
	dir := filepath.Join(sharedFolder(t), "oracle") // one folder for all tests, so that the programs are compiled once
	if _, err := os.Stat(dir); err != nil {
		if err := os.CopyFS(dir, os.DirFS("testdata/oracle")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(dir, "testdata")); err != nil { // findings of other tests
		t.Fatal(err)
	}
	t.Chdir(dir)
	file := filepath.Join(t.TempDir(), "ends")
	t.Setenv("ORACLE_FILE", file)
	out, _ := testCommand(t.Context(), append([]string{"-count=1", "-explore-time=1h", "-v", "."}, args...)...)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	sets := map[string]map[int]map[string]bool{"happened": {}, "possible": {}, "unlimited": {}}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		n, err := strconv.Atoi(fields[0])
		if err != nil || len(fields) != 3 {
			t.Fatal(line)
		}
		set := sets[fields[1]]
		if set[n] == nil {
			set[n] = map[string]bool{}
		}
		set[n][fields[2]] = true
	}
	return sets["happened"], sets["possible"], sets["unlimited"], out
}

// findings returns the findings that were reported for each program.
func findings(output string) map[int]string {
	found := map[int]string{}
	for _, m := range regexp.MustCompile(`=== RUN   Test(\d+)\n(?: *\d+s .*\n)* *macemc: (.*)\n`).FindAllStringSubmatch(output, -1) {
		n, _ := strconv.Atoi(m[1])
		found[n] = m[2]
	}
	return found
}

// boundedFrom is the number of the first program with a bound of one preemption.
const boundedFrom = 40

// timedFrom is the number of the first program with timers.
const timedFrom = 50

// The exhaustive exploration of random programs reports exactly the ends that the model allows. The programs are those that it explores
// completely or that can deadlock, and one that it does not.
func TestTest_ExhaustiveAsModel(t *testing.T) {
	happened, possible, _, out := oracle(t, "-exhaustive", "-schedules=20000", "-run=^Test([0-246-9]|1[1256]|2[02458]|3[023468])$")
	complete := 0
	for n, text := range findings(out) {
		if strings.HasPrefix(text, "complete: all") && !strings.Contains(text, "preemption") {
			complete++
			if !maps.Equal(happened[n], possible[n]) {
				t.Errorf("program %d: %s\n%d ends: %v\nwant %d: %v", n, text, len(happened[n]), happened[n], len(possible[n]), possible[n])
			}
		}
		for end := range happened[n] {
			if !possible[n][end] {
				t.Errorf("program %d ended in %q, which cannot happen", n, end)
			}
		}
		if deadlock := possible[n]["deadlock"]; deadlock != strings.HasPrefix(text, "DEADLOCK") {
			t.Errorf("program %d: deadlock %v: %s", n, deadlock, text)
		}
	}
	t.Logf("%d programs were explored completely", complete)
	if complete < 12 {
		t.Errorf("only %d programs were explored completely\n%s", complete, out)
	}
}

// With a bound of one preemption, the ends of random programs are those that a model which counts preemptions allows.
func TestTest_BoundedAsModel(t *testing.T) {
	happened, possible, _, out := oracle(t, "-exhaustive=1", "-schedules=20000", "-run=^Test4[0-9]$")
	texts := findings(out)
	for n := boundedFrom; n < boundedFrom+10; n++ {
		if !strings.Contains(texts[n], "with at most 1 preemption") || !maps.Equal(happened[n], possible[n]) {
			t.Errorf("program %d: %s\n%d ends: %v\nwant %d: %v", n, texts[n], len(happened[n]), happened[n], len(possible[n]), possible[n])
		}
	}
}

// The exhaustive exploration of random programs with timers of one instant reports exactly the ends that the model allows.
func TestTest_TimersAsModel(t *testing.T) {
	happened, possible, _, out := oracle(t, "-exhaustive", "-schedules=100000", "-run=^Test5[0-9]$")
	texts := findings(out)
	for n := timedFrom; n < timedFrom+10; n++ {
		if !strings.HasPrefix(texts[n], "complete: all") || strings.Contains(texts[n], "preemption") || !maps.Equal(happened[n], possible[n]) {
			t.Errorf("program %d: %s\n%d ends: %v\nwant %d: %v", n, texts[n], len(happened[n]), happened[n], len(possible[n]), possible[n])
		}
	}
}

// Sampled runs of the same programs end only in ways that the model allows, and in nearly all of them.
func TestTest_TimersAgreeWithModel(t *testing.T) {
	happened, possible, _, out := oracle(t, "-schedules=63", "-run=^Test5[0-9]$")
	seen, all := 0, 0
	for n, ends := range possible {
		for end := range happened[n] {
			if !ends[end] {
				t.Errorf("program %d ended in %q, which cannot happen", n, end)
			}
		}
		seen += len(happened[n])
		all += len(ends)
	}
	t.Logf("%d of %d ends seen", seen, all)
	if seen*100 < all*90 {
		t.Errorf("%d of %d ends seen\n%s", seen, all, out)
	}
}

// The exhaustive exploration of random programs with timers of several durations, locks and channels reports exactly the ends that the model
// allows if the delays between two instants at which all goroutines wait add up to at most 1 ms. Longer delays lead to no other ends unless
// the report mentions this bound.
func TestTest_DelaysAsModel(t *testing.T) {
	// Of programs 60 to 75, those that need at most 60,000 schedules.
	happened, possible, unlimited, out := oracle(t, "-exhaustive", "-explore-time=10m", "-schedules=100000", "-run=^Test(6[02-69]|7[01345])$")
	texts, more := findings(out), 0
	if len(texts) != 12 {
		t.Errorf("%d programs were explored\n%s", len(texts), out)
	}
	for n := range texts {
		if !strings.HasPrefix(texts[n], "complete: all") || strings.Contains(texts[n], "preemption") {
			t.Errorf("program %d: %s", n, texts[n])
		}
		for end := range happened[n] {
			if !possible[n][end] {
				t.Errorf("program %d ended in %q, which cannot happen", n, end)
			}
		}
		want := possible[n]
		if !strings.Contains(texts[n], "delays add up to at most 1ms") {
			want = unlimited[n]
		} else if len(possible[n]) < len(unlimited[n]) {
			more++
		}
		if !maps.Equal(happened[n], want) {
			t.Errorf("program %d: %s\n%d ends: %v\nwant %d: %v", n, texts[n], len(happened[n]), happened[n], len(want), want)
		}
	}
	_, _, _, again := oracle(t, "-exhaustive", "-explore-time=10m", "-schedules=200000", "-run=^Test66$")
	count := regexp.MustCompile(`by \d+ schedules`)
	if got, want := count.FindString(findings(again)[66]), count.FindString(texts[66]); got != want || got == "" { // addresses differ
		t.Errorf("program 66 was explored %q, and %q the second time", want, got)
	}
	if more == 0 || more == len(texts) {
		t.Errorf("%d of %d programs end in more ways beyond the bound\n%s", more, len(texts), out)
	}
}

// The exhaustive exploration of random programs that draw reports only ends that the model allows, and all of them for one outcome of the
// draws. It says so.
func TestTest_DrawsAsModel(t *testing.T) {
	happened, possible, _, out := oracle(t, "-exhaustive", "-schedules=3000", "-run=^Test(7[6-9]|8[0-3])$")
	sides := regexp.MustCompile("heads|tails|[|]")
	texts, complete := findings(out), 0
	for n := range possible {
		missing := map[string]int{} // by outcome of the draws
		for end := range possible[n] {
			draws := strings.Join(sides.FindAllString(end, -1), "")
			missing[draws] += 0
			if !happened[n][end] {
				missing[draws]++
			}
		}
		for end := range happened[n] {
			if !possible[n][end] {
				t.Errorf("program %d ended in %q, which cannot happen", n, end)
			}
		}
		if !strings.HasPrefix(texts[n], "complete for the drawn ") || strings.Contains(texts[n], "preemption") {
			continue
		}
		complete++
		if fewest := slices.Min(slices.Collect(maps.Values(missing))); fewest > 0 {
			t.Errorf("program %d: %s\n%d ends: %v\nmissing: %v", n, texts[n], len(happened[n]), happened[n], missing)
		}
	}
	if complete < 6 || len(possible) != 8 || strings.Contains(out, "complete:") {
		t.Errorf("%d of %d programs were explored completely\n%s", complete, len(possible), out)
	}
}

// Random programs of goroutines end only in ways that a model of them allows, and in nearly all of these ways. Exactly the programs that
// can deadlock are reported as deadlocked.
func TestTest_AgreesWithModel(t *testing.T) {
	happened, possible, _, out := oracle(t, "-schedules=500", "-run=^Test[0-3]?[0-9]$")
	failed := map[int]string{}
	for n, text := range findings(out) {
		if kind, _, ok := strings.Cut(text, ":"); ok && kind == strings.ToUpper(kind) {
			failed[n] = kind
		}
	}
	seen, all := 0, 0
	for n, ends := range possible {
		for end := range happened[n] {
			if !ends[end] {
				t.Errorf("program %d ended in %q, which cannot happen", n, end)
			}
		}
		switch {
		case ends["deadlock"] && failed[n] != "DEADLOCK":
			t.Errorf("program %d can deadlock: %q was reported", n, failed[n])
		case !ends["deadlock"] && failed[n] != "":
			t.Errorf("program %d cannot deadlock: %q was reported", n, failed[n])
		case !ends["deadlock"]:
			seen += len(happened[n])
			all += len(ends)
		}
	}
	t.Logf("%d programs, %d of %d ends seen", len(possible), seen, all)
	if len(possible) != boundedFrom || len(failed) != 10 || seen*100 < all*90 {
		t.Errorf("%d programs, %d failed, %d of %d ends seen\n%s", len(possible), len(failed), seen, all, out)
	}
}

// A goroutine that polls with runtime.Gosched lets others go on, so the exhaustive exploration of Peterson's algorithm ends, and finds what is
// wrong with two operations in the other order.
func TestTest_ExhaustivePolls(t *testing.T) {
	testFile(t, `package x

import (
	"runtime"
	"sync/atomic"
	"testing"
)

func exclude(t *testing.T, before, after func(flag *[2]atomic.Bool, turn *atomic.Int32, me int32)) {
	var flag [2]atomic.Bool
	var turn, inside atomic.Int32
	done := make(chan bool)
	for me := range int32(2) {
		go func() {
			before(&flag, &turn, me)
			after(&flag, &turn, me)
			for flag[1-me].Load() && turn.Load() == 1-me {
				runtime.Gosched()
			}
			if inside.Add(1) != 1 {
				t.Error("both")
			}
			inside.Add(-1)
			flag[me].Store(false)
			done <- true
		}()
	}
	<-done
	<-done
}

func wants(flag *[2]atomic.Bool, turn *atomic.Int32, me int32) { flag[me].Store(true) }

func yields(flag *[2]atomic.Bool, turn *atomic.Int32, me int32) { turn.Store(1 - me) }

func TestRight(t *testing.T) { exclude(t, wants, yields) }

func TestWrong(t *testing.T) { exclude(t, yields, wants) }
`)
	testReports(t, []string{"complete: all 2481 schedules with at most 2 preemptions, if there is no data race", "--- PASS: TestRight", "FAILED TEST: x_test.go:21: both\n",
		"(strategy exhaustive)"}, 1, "-count=1", "-v", "-vet=off", "-exhaustive=2", "-schedules=3000", ".")
}
