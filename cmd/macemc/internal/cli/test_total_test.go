package cli

import (
	"regexp"
	"strings"
	"testing"
)

// lossyCounter is a test with many orders of goroutines, and one without goroutines.
const lossyCounter = `
import (
	"sync"
	"testing"
)

func TestPlain(t *testing.T) {}

func TestMany(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for range 4 {
		wg.Go(func() {
			for range 10 {
				mu.Lock()
				n++
				mu.Unlock()
			}
		})
	}
	if wg.Wait(); n != 40 {
		t.Error(n)
	}
}
`

// All tests together use the time of the command. What lacks time is reported, is not cached, and comes first the next time.
func TestTest_ExploreTotal(t *testing.T) {
	leanBuilds(t)
	testPackages(t, map[string]string{"a": lossyCounter, "b": lossyCounter})
	const left = `macemc: -explore-total 10ms left 2 tests (only in the default order|with less than 200ms)` +
		`( and 2 tests with less than 200ms)?, of 4 tests; to go on: macemc test -explore-time=200ms -explore-total=10ms ./...`
	cached := func(out string) bool { return strings.Contains(out, "x/b\t(cached)") }
	for range 2 {
		out, status := testCommand(t.Context(), "-explore-time=200ms", "-explore-total=10ms", "./...")
		if status != 0 || !regexp.MustCompile(left).MatchString(out) || cached(out) {
			t.Errorf("status %d, %q is missing, or a result is cached:\n%s", status, left, out)
		}
	}
	out, status := testCommand(t.Context(), "-explore-time=200ms", "-explore-total=10ms", "-junit=-", "./...")
	if status != 0 || !strings.Contains(out, `TestMany: -explore-total left`) {
		t.Errorf("status %d, JUnit XML names no test that lacks time:\n%s", status, out)
	}
	for _, again := range []bool{false, true} {
		out, status := testCommand(t.Context(), "-explore-time=200ms", "-explore-total=10m", "./...")
		if status != 0 || strings.Contains(out, "-explore-total") || cached(out) != again {
			t.Errorf("status %d, something is left, or cached is not %t:\n%s", status, again, out)
		}
	}
}

// The time of a test does not include that of a test before it in the same process, which is not explored.
func TestTest_TimeOfOtherTests(t *testing.T) {
	leanBuilds(t)
	testFile(t, "package x\n"+strings.Replace(lossyCounter, `import (`, `import (
	"os/exec"`, 1)+`
func init() { burn() }

// burn takes more than 100 ms of processor time.
func burn() (sum int) {
	for i := range 1_000_000_000 {
		sum ^= i * sum
	}
	return sum
}

func TestFirst(t *testing.T) {
	exec.Command("go", "version").Run()
	burn()
}

func TestSecond(t *testing.T) { TestMany(t) }
`)
	out, status := testCommand(t.Context(), "-count=1", "-v", "-explore-time=100ms", "-run=First|Second", ".")
	if many := regexp.MustCompile(`TestSecond(?s:.*)macemc: .*\d\d+ schedules`); status != 0 || !many.MatchString(out) || strings.Contains(out, "only 1 schedule") {
		t.Errorf("status %d\n%s", status, out)
	}
}
