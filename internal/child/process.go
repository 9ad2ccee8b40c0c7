// Package child starts and ends the processes that this one waits for: searches, workers, live nodes, test binaries and go commands.
package child

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Process is a started process. Its standard input is a pipe. A process that reads it notices at its end that this process is gone.
type Process struct {
	*exec.Cmd
	Orders io.WriteCloser
	Ended  <-chan struct{} // closed after the end of the process
	Err    error           // of Wait; valid after the end
}

// Start starts a process.
func Start(cmd *exec.Cmd) (*Process, error) {
	orders, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	p := &Process{Cmd: cmd, Orders: orders, Ended: ended}
	go func() {
		p.Err = cmd.Wait()
		close(ended)
	}()
	return p, nil
}

// Kill kills the process, and waits for its end.
func (p *Process) Kill() {
	_ = p.Process.Kill()
	<-p.Ended
}

// Interrupt interrupts the process, and kills it if it does not end within a time.
func (p *Process) Interrupt(leaving time.Duration) {
	_ = p.Process.Signal(os.Interrupt)
	select {
	case <-p.Ended:
	case <-time.After(leaving):
		p.Kill()
	}
}

// Output is the output of a process that has ended.
type Output struct {
	Stdout, Stderr string
	Status         int
	Processor      time.Duration
}

// Run executes a command. When ctx is done, it interrupts the process, and kills it after a time. After its end, Run waits at most that
// long for the output of processes that it has started; 0 means no limit. An exit status is not an error.
func Run(ctx context.Context, cmd *exec.Cmd, leaving time.Duration) (o Output, err error) {
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.WaitDelay = nil, &out, &errs, leaving
	p, err := Start(cmd)
	if err != nil {
		return o, err
	}
	_ = p.Orders.Close()
	select {
	case <-p.Ended:
	case <-ctx.Done():
		p.Interrupt(leaving)
	}
	s := cmd.ProcessState
	o = Output{out.String(), errs.String(), s.ExitCode(), s.UserTime() + s.SystemTime()}
	if _, exited := errors.AsType[*exec.ExitError](p.Err); exited {
		return o, ctx.Err()
	}
	return o, cmp.Or(ctx.Err(), p.Err)
}

// Self returns a command that starts this program.
func Self(args ...string) *exec.Cmd {
	exe, err := os.Executable()
	if err != nil {
		exe = os.Args[0]
	}
	return exec.Command(exe, args...)
}

// GoCommand returns a go command with additional environment variables. A GOROOT among these selects the go command. The end of ctx kills
// it.
func GoCommand(ctx context.Context, env, args []string) *exec.Cmd {
	name := "go"
	for _, e := range env {
		if root, ok := strings.CutPrefix(e, "GOROOT="); ok {
			name = filepath.Join(root, "bin", "go")
		}
	}
	cmd := exec.CommandContext(ctx, name, args...)
	if len(env) > 0 {
		cmd.Env = append(os.Environ(), env...)
	}
	return cmd
}

// GoOutput returns the output of a go command in a folder, without space around it. An empty folder means the current one.
func GoOutput(ctx context.Context, folder string, env []string, args ...string) (string, error) {
	cmd := GoCommand(ctx, env, args)
	cmd.Dir = folder
	o, err := Run(ctx, cmd, 0)
	if err == nil && o.Status != 0 {
		err = fmt.Errorf("go %s: %s", args[0], cmp.Or(strings.TrimSpace(o.Stderr), cmd.ProcessState.String()))
	}
	return strings.TrimSpace(o.Stdout), err
}

// SplitWords splits a command, or a value of GOFLAGS, as the go command does: words are separated by blanks, and may be quoted.
func SplitWords(text string) (words []string, err error) {
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimLeft(text, " \t\r\n") {
		end, quote := strings.IndexAny(text, " \t\r\n"), text[0]
		if quote == '"' || quote == '\'' {
			text = text[1:]
			if end = strings.IndexByte(text, quote); end < 0 {
				return words, fmt.Errorf("unterminated %c", quote)
			}
			words, text = append(words, text[:end]), text[end+1:]
			continue
		}
		if end < 0 {
			end = len(text)
		}
		words, text = append(words, text[:end]), text[end:]
	}
	return words, nil
}
