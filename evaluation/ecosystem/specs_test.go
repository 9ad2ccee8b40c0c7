package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each spec of a suite is explored, named, stored and replayed like a subtest. One that cannot be explored takes nothing from the others.
func TestSpecs(t *testing.T) {
	program := filepath.Join(t.TempDir(), "macemc")
	build := exec.Command("go", "build", "-o", program, "./cmd/macemc")
	build.Dir, build.Env = "../..", append(os.Environ(), "GOWORK=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const folder = "ginkgo/specs"
	remove := func() { os.RemoveAll(folder + "/testdata") }
	remove()
	t.Cleanup(remove)
	explore := func(args ...string) string {
		out, _ := exec.Command(program, append([]string{"test", "./" + folder, "-vet=off", "-count=1"}, args...)...).CombinedOutput()
		return string(out)
	}
	expect := func(out string, lines ...string) {
		t.Helper()
		for _, line := range lines {
			if !regexp.MustCompile(`(?m)macemc: ` + line).MatchString(out) {
				t.Errorf("%q is missing in\n%s", line, out)
			}
		}
	}
	out := explore("-v", "-schedules=60", "-run=TestSpecs")
	expect(out, `TestSpecs/Counter_a_counter_adds_/_counts: FAILED TEST: \[FAIL\] a counter \[It\] adds / counts at specs_test.go:\d+$`,
		`TestSpecs/Counter_a_counter_adds: 60 schedules .*, no finding`, `TestSpecs/Counter_a_counter_that_lasts/...: 60 schedules .*, no finding`,
		`\S+ TestSpecs/Counter_a_counter_is_sent_to_another_machine: not explored: it reaches another machine`,
		`TestSpecs: 1 other spec without concurrency: 20 schedules, no finding`)
	if !strings.Contains(out, "executed alone, as -ginkgo.focus executes it") {
		t.Errorf("a finding does not say that the spec was executed alone:\n%s", out)
	}
	if n := strings.Count(out, "FAILED TEST"); n != 1 || strings.Contains(out, "not reproducible") {
		t.Errorf("%d findings in\n%s", n, out)
	}
	files, _ := filepath.Glob(folder + "/testdata/macemc/TestSpecs/*/*/*.path")
	if len(files) != 1 {
		t.Fatalf("stored %q", files)
	}
	expect(explore("-run=TestSpecs", "-schedule="+files[0]), "FAILED TEST")
	expect(explore("-schedules=200", "-run=TestWithoutSpecs"), "FAILED TEST: the test failed$")
	out = explore("-v", "-schedules=20", "-run=TestSpecs/is_set$")
	expect(out, "TestSpecs/Counter_a_counter_is_set: 20 schedules .*, no finding")
	if strings.Contains(out, "a_counter_adds") {
		t.Errorf("-run selects other specs:\n%s", out)
	}
	remove()
	expect(explore("-schedules=100", "-run=TestSpecs", "-args", "-ginkgo.focus=a counter adds"), `FAILED TEST: \[FAIL\] a counter \[It\] adds / counts`)
}
