package facts

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// These tests leave their process, so they are not explored.

func TestOutside_Process(t *testing.T) {
	if os.Getenv("FACTS_CHILD") != "" {
		lacks(t, os.Environ(), "macemc")
		return
	}
	same(t, strings.Join(stackOf(), " "), "example.org/facts.TestOutside_Process testing.tRunner runtime.goexit")
	c := exec.Command(os.Args[0], "-test.run=^TestOutside_Process$")
	c.Env = append(os.Environ(), "FACTS_CHILD=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	lacks(t, string(out), "macemc")
}

func TestOutside_Missing(t *testing.T) {
	_, err := exec.LookPath("no-such-program")
	same(t, err != nil, true)
	same(t, exec.Command("no-such-program").Run() != nil, true)
}

func TestOutside_Benchmark(t *testing.T) {
	r := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			time.Now()
		}
	})
	same(t, r.N > 0, true)
}

func TestOutside_Cleanup(t *testing.T) {
	c := make(chan int)
	func() { runtime.AddCleanup(new([100]int), func(n int) { c <- n }, 7) }()
	runtime.GC()
	same(t, <-c, 7)
}
