package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/task"
)

// Random programs of goroutines end only in ways that a model of them allows, in nearly all of these ways, and those that can deadlock
// are reported to, and no others.
func TestTest_AgreesWithModel(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the standard library the first time")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/oracle")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	file := filepath.Join(dir, "ends")
	t.Setenv("ORACLE_FILE", file)
	var out strings.Builder
	a := &app{Process: task.Process{Stdout: &out, Stderr: &out, Stdin: strings.NewReader(""), Program: "macemc", Front: front{}}}
	a.run(t.Context(), []string{"test", "-count=1", "-schedules=500", "."})
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	happened, possible := map[int]map[string]bool{}, map[int]map[string]bool{}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3)
		n, err := strconv.Atoi(fields[0])
		if err != nil || len(fields) != 3 {
			t.Fatal(line)
		}
		set := possible
		if fields[1] == "happened" {
			set = happened
		}
		if set[n] == nil {
			set[n] = map[string]bool{}
		}
		set[n][fields[2]] = true
	}
	failed := map[int]string{}
	for _, m := range regexp.MustCompile(`--- FAIL: Test(\d+) .*\n    macemc: (\w+)`).FindAllStringSubmatch(out.String(), -1) {
		n, _ := strconv.Atoi(m[1])
		failed[n] = m[2]
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
	if len(possible) != 40 || len(failed) != 10 || seen*100 < all*90 {
		t.Errorf("%d programs, %d failed, %d of %d ends seen\n%s", len(possible), len(failed), seen, all, out.String())
	}
}
