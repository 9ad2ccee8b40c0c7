//go:build unix

package child

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestRun_ReturnsStatus(t *testing.T) {
	o, err := Run(t.Context(), exec.Command("sh", "-c", "cat; echo out; echo err >&2; exit 7"), 0)
	if want := (Output{"out\n", "err\n", 7, o.Processor}); err != nil || o != want {
		t.Errorf("got %+v, %v, want %+v", o, err, want)
	}
	if _, err := Run(t.Context(), exec.Command("/nowhere/program"), 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v for a missing program, want %v", err, os.ErrNotExist)
	}
}

// A process that ignores the interrupt is killed, but one that ends by itself is not.
func TestRun_KillsWhatIgnoresInterrupts(t *testing.T) {
	for _, c := range []struct {
		script string
		want   int
	}{
		{"trap '' INT; read x <&3; echo ready >&4; while :; do sleep 1; done", -1},
		{"trap 'exit 5' INT; read x <&3; echo ready >&4; while :; do sleep 0.1; done", 5},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		theirs, ours, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		ready, theirReady, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sh", "-c", c.script)
		OwnGroup(cmd)
		cmd.ExtraFiles = []*os.File{theirs, theirReady}
		go func() {
			_, _ = ours.WriteString("go\n")
			_, _ = ready.Read(make([]byte, 6))
			cancel()
		}()
		leaving := time.Hour
		if c.want < 0 {
			leaving = time.Millisecond
		}
		o, err := Run(ctx, cmd, leaving)
		Kill(cmd) // what it has started
		if o.Status != c.want || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %+v, %v, want status %d, %v", c.script, o, err, c.want, context.Canceled)
		}
		for _, f := range []*os.File{theirs, ours, ready, theirReady} {
			f.Close()
		}
	}
}

// A process that outlives the command and keeps its output open does not delay the end.
func TestRun_LeavesOpenOutput(t *testing.T) {
	cmd := exec.Command("sh", "-c", "sleep 60 & wait")
	OwnGroup(cmd)
	defer Kill(cmd)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	begun := time.Now()
	if _, err := Run(ctx, cmd, 100*time.Millisecond); !errors.Is(err, context.DeadlineExceeded) || time.Since(begun) > 30*time.Second {
		t.Errorf("got %v after %v, want %v at once", err, time.Since(begun), context.DeadlineExceeded)
	}
}

// A signal that comes before the other process is known reaches it, too.
func TestForward_SendsEarlierSignals(t *testing.T) {
	to, stop := Forward(syscall.SIGUSR2)
	defer stop()
	if err := syscall.Kill(os.Getpid(), syscall.SIGUSR2); err != nil {
		t.Fatal(err)
	}
	p, err := Start(exec.Command("sh", "-c", "trap 'exit 5' USR2; echo ready; while :; do sleep 0.1; done"))
	if err != nil {
		t.Fatal(err)
	}
	to(p.Process)
	<-p.Ended
	if code := p.ProcessState.ExitCode(); code != 5 && !strings.Contains(p.ProcessState.String(), "user defined signal 2") {
		t.Errorf("the process ended with %v, want that of its handler or of the signal", p.ProcessState)
	}
}

func TestGoOutput_ReturnsText(t *testing.T) {
	if text, err := GoOutput(t.Context(), "", nil, "env", "GOOS", "GOARCH"); err != nil || len(strings.Split(text, "\n")) != 2 {
		t.Errorf("got %q, %v, want two lines", text, err)
	}
	_, err := GoOutput(t.Context(), t.TempDir(), []string{"GOWORK=off"}, "list", "./missing")
	if err == nil || !strings.HasPrefix(err.Error(), "go list: ") || strings.Contains(err.Error(), "exit status") {
		t.Errorf("got %v, want the text of the go command", err)
	}
}
