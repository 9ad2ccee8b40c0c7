package cli

import (
	"os"
	"regexp"
	"strconv"
	"testing"
)

// A finding with many preemptions is minimized to a few, although more goroutines are blocked in the run that was found. No step is critical
// from which random continuations rarely pass: the first error can happen at any time.
func TestTest_MinimalStress(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
)

type box struct {
	queue   chan int
	waiting chan chan int
}

func (b *box) put(v int) {
	select {
	case w := <-b.waiting:
		select {
		case w <- v:
			return
		default: // the reader does not receive yet
		}
	default: // a reader may register after this
	}
	b.queue <- v
}

func (b *box) get() int {
	select {
	case v := <-b.queue:
		return v
	default:
	}
	w := make(chan int)
	b.waiting <- w
	return <-w
}

func TestStress(t *testing.T) {
	b := &box{queue: make(chan int, 1000), waiting: make(chan chan int, 1000)}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i := range 60 {
				b.put(i)
			}
		})
		wg.Go(func() {
			for range 60 {
				b.get()
			}
		})
	}
	wg.Wait()
}
`)
	for _, seed := range []string{"1", "2", "3"} {
		out, status := testCommand(t.Context(), "-count=1", "-explore-seed="+seed, ".")
		few := regexp.MustCompile(`found by schedule \d+ .*; ([1-4]) (switch|pause)`).MatchString(out)
		if status != 1 || !few {
			t.Errorf("seed %s: status %d, not a few switches or pauses:\n%s", seed, status, out)
		}
		if m := regexp.MustCompile(`critical step: (\d+) of (\d+);`).FindStringSubmatch(out); m != nil {
			step, _ := strconv.Atoi(m[1])
			if of, _ := strconv.Atoi(m[2]); step < of/2 {
				t.Errorf("seed %s: step %d of %d is critical", seed, step, of)
			}
		}
		if err := os.RemoveAll("testdata"); err != nil {
			t.Fatal(err)
		}
	}
}
