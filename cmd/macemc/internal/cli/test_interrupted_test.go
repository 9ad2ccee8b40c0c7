package cli

import (
	"context"
	"errors"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/task"
)

// An interrupt of the command reaches the tests.
func TestTest_Interrupted(t *testing.T) {
	testFile(t, `package x

import (
	"sync"
	"testing"
	"time"
)

func TestX(t *testing.T) {
	var wg sync.WaitGroup
	for range 5 {
		wg.Go(func() {
			for range 20 {
				time.Sleep(time.Millisecond)
			}
		})
	}
	wg.Wait()
}
`)
	ctx, cancel := context.WithCancelCause(t.Context())
	out := &cancelling{cancel: cancel, on: "=== RUN"}
	a := &app{Process: task.Process{Stdout: out, Stderr: out, Stdin: strings.NewReader(""), Program: "macemc", Screen: showScreen}}
	status := a.run(ctx, []string{"test", "-count=1", "-v", "-explore-time=1h", "-schedules=1000000000", "."})
	if ended := time.Since(out.at); status != exitcode.Interrupted || ended > 6*time.Second {
		t.Errorf("status %d, %v after the interrupt:\n%s", status, ended, &out.text)
	}
	for _, want := range []string{"macemc: interrupted\n", "macemc: example.org/x TestX: interrupted during the exploration\n"} {
		if !strings.Contains(out.text.String(), want) {
			t.Errorf("%q is missing:\n%s", want, &out.text)
		}
	}
}

// A finding that is not yet minimized is reported if the tests are interrupted or the go command is killed, and its schedule is kept.
func TestTest_InterruptedWithFinding(t *testing.T) {
	testFile(t, `package x

import (
	"os"
	"testing"
)

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

func TestX(t *testing.T) {
	for exists("hold") && exists("testdata/macemc/TestX/deadlock-1.path") { // so that the finding is not minimized
	}
	<-make(chan int)
}
`)
	if err := os.WriteFile("hold", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	reports := func(what, out string, status int) {
		for _, want := range []string{
			"macemc: " + what + "\n",
			"macemc: example.org/x TestX: DEADLOCK: 1 goroutine is blocked and nothing can wake it (" + what + " before this was ",
			"replay: macemc test -run '^TestX$' -schedule testdata/macemc/TestX/deadlock-1.path example.org/x\n",
		} {
			if status != exitcode.Violation || !strings.Contains(out, want) {
				t.Errorf("%s: status %d, want %q in\n%s", what, status, want, out)
			}
		}
	}
	if runtime.GOOS == "linux" {
		go func() {
			await(t, "testdata/macemc/TestX/deadlock-1.path")
			killGo(t)
		}()
		text, status := testCommand(t.Context(), "-count=1", "-v", ".")
		reports("go test ended early (signal: killed)", text, status)
		os.RemoveAll("testdata")
	}

	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		await(t, "testdata/macemc/TestX/deadlock-1.path")
		cancel(&exitcode.Interruption{Signal: os.Interrupt})
	}()
	text, status := testCommand(ctx, "-count=1", "-v", ".")
	reports("interrupted", text, status)
	os.Remove("hold")
	if out, status := testCommand(t.Context(), "-run=^TestX$", "-schedule=testdata/macemc/TestX/deadlock-1.path", "."); status != 1 {
		t.Errorf("replay: status %d\n%s", status, out)
	}
}

// manyOrders is the rest of a test with more orders than a test explores.
const manyOrders = `
	var group sync.WaitGroup
	var mutex sync.Mutex
	for range 5 {
		group.Go(func() {
			for range 20 {
				mutex.Lock()
				mutex.Unlock()
			}
		})
	}
	group.Wait()
`

// A command that is interrupted while it explores a test reports the findings of others, whose output the go command withholds until the
// package ends.
func TestTest_InterruptedAfterFinding(t *testing.T) {
	testFile(t, `package x

import (
	"os"
	"sync"
	"testing"
)

func TestX(t *testing.T) { <-make(chan int) }

func TestY(t *testing.T) {
	os.WriteFile("began", nil, 0o600)`+manyOrders+`}
`)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		await(t, "began")
		cancel(errors.New("interrupted"))
	}()
	out, status := testCommand(ctx, "-count=1", "-explore-time=1h", "-schedules=1000000000", ".")
	reports := regexp.MustCompile(`--- FAIL: TestX( \([0-9.]+s\))?\n    macemc: DEADLOCK: `) // with the time if the go command printed it
	if status != exitcode.Violation || len(reports.FindAllString(out, -1)) != 1 ||
		!strings.Contains(out, "replay: macemc test -run '^TestX$' -schedule testdata/macemc/TestX/deadlock-1.path example.org/x\n") {
		t.Errorf("status %d\n%s", status, out)
	}
}

// Exploring ends before -timeout, also if runs are given up while they log a variable of the environment that they read.
func TestTest_EndsBeforeTimeout(t *testing.T) {
	if testing.Short() {
		t.Skip("takes 5 s of CPU time")
	}
	testFile(t, `package env

import (
	"os"
	"sync"
	"testing"
)

func TestEnv(t *testing.T) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 4 {
				mu.Lock()
				_ = os.Getenv("HOME")
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}
`)
	out, status := testCommand(t.Context(), "-v", "-exhaustive", "-timeout=6s", ".")
	// The time on the clock is used up first, or that of the processors if several were free.
	ended := regexp.MustCompile(`stopped because -timeout is near|TestEnv: -timeout left less than 1m`)
	if status != 0 || !strings.Contains(out, "--- PASS: TestEnv") || !ended.MatchString(out) {
		t.Errorf("status %d\n%s", status, out)
	}
}
