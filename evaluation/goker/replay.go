package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/macemc/macemc/internal/explorer"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/testsched"
	"github.com/macemc/macemc/internal/testsched/program"
)

// replays executes each schedule that the tests in a folder have stored in n new processes, several at a time, and
// compares the traces.
func replays(macemc, dir string, n int) error {
	files, err := filepath.Glob(filepath.Join(dir, "testdata", "macemc", "*", "*.path"))
	if err != nil {
		return err
	}
	build := exec.Command(macemc, "test", "-c", "-vet=off", "-o", "goker.test", ".")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	start, same := time.Now(), 0
	for _, file := range files {
		traces := make([]string, n)
		var wg sync.WaitGroup
		next := make(chan int)
		for range runtime.NumCPU() {
			wg.Go(func() {
				for i := range next {
					traces[i] = replay(macemc, dir, file)
				}
			})
		}
		for i := range n {
			next <- i
		}
		close(next)
		wg.Wait()
		differ := 0
		for _, trace := range traces {
			if trace == "" || trace != traces[0] {
				differ++
			}
		}
		if differ == 0 {
			same++
		} else {
			fmt.Fprintf(os.Stderr, "%s: %d of %d traces differ\n", file, differ, n)
		}
	}
	fmt.Printf("%d of %d findings have equal traces in %d processes each, %v\n", same, len(files), n, time.Since(start).Round(time.Second))
	return nil
}

// replay returns the outcome and the trace of a schedule in a new process. An empty text means none.
func replay(macemc, dir, file string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	s, err := schedulefile.Read(f)
	if err != nil {
		return ""
	}
	out, err := os.CreateTemp("", "goker-outcome-")
	if err != nil {
		return ""
	}
	out.Close()
	defer os.Remove(out.Name())
	cmd := exec.Command(macemc, "exec", "replay", "0", "./goker.test", "-test.run="+program.Pattern(s.Test))
	cmd.Dir = dir
	options := explorer.Options{Schedule: file, Passing: explorer.Passing{Outcome: out.Name(), Trace: "events"}}
	cmd.Env = append(os.Environ(), options.Variables()...)
	_ = cmd.Run() // the outcome includes the exit status
	text, err := os.ReadFile(out.Name())
	o := testsched.Decode(text)
	if err != nil || o == nil || o.Kind == testsched.Passed {
		return ""
	}
	return fmt.Sprintf("%#v", *o)
}
