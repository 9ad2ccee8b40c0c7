package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"testing"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/systems/spec"
)

const joinVar = "MACEMC_TEST_JOIN"

// TestMain makes the test binary a worker if the environment names a server.
func TestMain(m *testing.M) {
	url := os.Getenv(joinVar)
	if url == "" {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	w := Worker{URL: url, Build: "test", Job: job, Log: slog.New(slog.NewTextHandler(os.Stderr, nil))}
	end, _, err := w.Supervised()
	if err == nil {
		err = w.Work(ctx)
	}
	if end != nil {
		end(0)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// spawn starts a worker as a separate process.
func spawn(t *testing.T, url string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), joinVar+"="+url)
	cmd.Stderr = t.Output()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// A worker is killed in the middle of a search, whether it leads or not, and another takes over its parts.
func TestKilled(t *testing.T) {
	t.Parallel()
	for _, victim := range []string{"leads", "follows"} {
		t.Run(victim, func(t *testing.T) {
			t.Parallel()
			url := serve(t)
			workers := []*exec.Cmd{spawn(t, url), spawn(t, url)}
			var kill sync.Once
			killed := false
			system, letGo := hold(t, "paxos")
			x, err := search(t, url, system, spec.Config{Params: map[string]string{"proposers": "2"}}, func(o *options.Options) {
				o.Progress = func(states, _, _, _ int) {
					st, err := StatusOf(context.Background(), url, Security{})
					if err != nil || states < 5_000 || len(st.Workers) < 2 {
						return
					}
					for _, w := range st.Workers {
						for _, cmd := range workers {
							if w.Leads == (victim == "leads") && strings.HasSuffix(w.Process, fmt.Sprintf(":%d", cmd.Process.Pid)) {
								kill.Do(func() { killed = cmd.Process.Kill() == nil; letGo() })
							}
						}
					}
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if !killed {
				t.Error("got no killed worker before the end of the search, want one")
			}
			if !x.Complete || x.States != 98_160 || x.Transitions != 506_256 {
				t.Errorf("got %d states, %d transitions, stopped by %q, want all: 98160, 506256", x.States, x.Transitions, x.Stopped)
			}
		})
	}
}
