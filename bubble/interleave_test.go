//go:build macemc_overlay

package bubble_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync"
	"testing"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// inner is set in the environment of a process that runs a test for another test.
const inner = "MACEMC_TEST_INNER"

func TestTwoRequests(t *testing.T) {
	if os.Getenv(inner) == "" {
		t.Skip("for TestInterleave_Flag")
	}
	mctest.Check(t, twoRequests.system(true))
}

// Two requests overlap by default and with random schedules, but not with FIFO scheduling.
func TestInterleave_Flag(t *testing.T) {
	for flag, found := range map[string]bool{"": true, "-macemc.interleave=random": true, "-macemc.interleave=fifo": false} {
		args := []string{"-test.run=^TestTwoRequests$", "-macemc.max-paths=500"}
		if flag != "" {
			args = append(args, flag)
		}
		cmd := exec.Command(os.Args[0], args...)
		cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), inner+"=1")
		if out, err := cmd.CombinedOutput(); (err != nil) != found {
			t.Errorf("%q: %v, want a violation: %v\n%s", flag, err, found, out)
		}
	}
}

// A bug that needs one order of goroutines is found however many other goroutines were started before.
func TestSchedules_AnyNumbering(t *testing.T) {
	for others := range 10 {
		b := bug{
			name: fmt.Sprint(others, " others"), interleave: sim.Random, actions: start, always: right(0),
			program: func(bool) bubble.Main {
				return func(ctx context.Context, h *bubble.Host) error {
					var c count
					var mu sync.Mutex
					var order []int
					h.Observe(func() any { mu.Lock(); defer mu.Unlock(); return c })
					h.Expose(begin(func() {
						for range others {
							go func() { <-ctx.Done() }()
						}
						for i := range 5 {
							go func() {
								mu.Lock()
								defer mu.Unlock()
								if order = append(order, i); slices.Equal(order, []int{3, 0, 4, 2, 1}) {
									c = count{N: 1, Done: true}
								}
							}()
						}
					}))
					<-ctx.Done()
					return nil
				}
			},
		}
		r, err := searched(t, search.Config{System: b.system(true), Workers: 1, MaxPaths: 10_000, WalkSteps: 20})
		if err != nil || r.Finding == nil {
			t.Errorf("%s: %v, %s after %d paths", b.name, err, r.Verdict, r.Stats.Paths)
		}
	}
}
