package cluster

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/systems/spec"
)

// Checked code that ends the process of a worker ends the search, which reports the state; workers continue.
func TestDied(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	url := serve(t)
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			w := Worker{URL: url, Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
			err := w.Supervise(ctx, func() *exec.Cmd {
				cmd := exec.Command(os.Args[0])
				cmd.Env = append(os.Environ(), joinVar+"="+url)
				return cmd
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	t.Cleanup(func() { cancel(); all.Wait() })
	_, err := search(t, url, "dies", spec.Config{})
	var died *DiedError
	if !errors.As(err, &died) {
		t.Fatalf("got error %v, want a DiedError", err)
	}
	if !strings.Contains(died.How, "exit status 3") || len(died.Keys) != 5 || !strings.Contains(died.Keys[4], "n2") {
		t.Errorf("got error %v, want exit status 3 after 5 steps, the last one of n2", err)
	}
	x, err := search(t, url, "paxos", spec.Config{})
	if err != nil || !x.Complete {
		t.Errorf("got %+v, error %v, want all states", x, err)
	}
}

// A process killed at the end of the supervisor, before it has ended itself, is not an error.
func TestSuperviseEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	w := Worker{Log: slog.New(slog.NewTextHandler(t.Output(), nil))}
	err := w.Supervise(ctx, func() *exec.Cmd {
		time.AfterFunc(10*time.Millisecond, cancel)
		return exec.Command("sleep", "100")
	})
	if err != nil {
		t.Error(err)
	}
}
