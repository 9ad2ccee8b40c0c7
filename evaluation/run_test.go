package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/macemc/macemc/cmd/macemc/program"
	"github.com/macemc/macemc/internal/task"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/systems/spec"
)

const mainVar = "MACEMC_TEST_MAIN"

// TestMain makes this test binary the program, also in the processes that it starts.
func TestMain(m *testing.M) {
	if os.Getenv(mainVar) != "" {
		os.Exit(evaluate(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// respawn returns the command that starts the program.
func respawn() *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), mainVar+"=1")
	return cmd
}

// allSystems returns the systems of the program.
func allSystems() []spec.Entry { return append(program.Systems(), papers.Entries()...) }

// newEvaluator returns an evaluator that writes into buffers.
func newEvaluator() (e *evaluator, stdout, stderr *bytes.Buffer) {
	stdout, stderr = new(bytes.Buffer), new(bytes.Buffer)
	return &evaluator{&task.Process{Stdout: stdout, Stderr: stderr, Program: "macemc", Systems: allSystems(), Respawn: respawn}}, stdout, stderr
}

// run executes a command line in another process.
func run(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := respawn()
	cmd.Args = append(cmd.Args, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		exit, ok := errors.AsType[*exec.ExitError](err)
		if !ok {
			t.Fatal(err)
		}
		status = exit.ExitCode()
	}
	return out.String(), errs.String(), status
}

// runUntil executes a command of the evaluation in this process, until ctx is done.
func runUntil(t *testing.T, ctx context.Context, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	e, out, errs := newEvaluator()
	for _, cmd := range commands(e.Process) {
		if cmd.Name() == args[0] {
			cmd.SetArgs(args[1:])
			cmd.SilenceErrors, cmd.SilenceUsage = true, true
			status = e.ExitStatus(ctx, cmd.ExecuteContext(ctx))
		}
	}
	return out.String(), errs.String(), status
}
