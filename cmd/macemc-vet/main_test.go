package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/cmd/macemc-vet/vet"
	"github.com/macemc/macemc/internal/task"
)

// run executes a command line of vet.
func run(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	root := &cobra.Command{Use: "macemc", SilenceErrors: true, SilenceUsage: true}
	root.PersistentFlags().String("tags", "", "")
	root.AddCommand(vetCommand())
	var out, errs bytes.Buffer
	root.SetOut(&out)
	root.SetErr(&errs)
	root.SetArgs(args)
	if err := root.ExecuteContext(t.Context()); err != nil {
		var exit task.Exit
		if !errors.As(err, &exit) {
			t.Fatal(err)
		}
		status = int(exit)
	}
	return out.String(), errs.String(), status
}

func TestVet(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	const dir = "./vet/testdata/"
	stdout, stderr, status := run(t, "vet", dir+"suppress")
	if status != 1 || stderr != "" || !strings.HasSuffix(stdout, "5 hazards in 1 package\n") {
		t.Errorf("exit status %d, stderr %q:\n%s", status, stderr, stdout)
	}

	stdout, stderr, status = run(t, "vet", "--json", "--no-tests", "--tags=slow", dir+"tagged")
	var r vet.Report
	if err := json.Unmarshal([]byte(stdout), &r); err != nil || status != 1 || stderr != "" {
		t.Fatalf("exit status %d, stderr %q: %v", status, stderr, err)
	}
	if len(r.Findings) != 1 || r.Findings[0].Kind != vet.Clock || r.Findings[0].Handler != "slow.Boot" || r.Findings[0].Line != 13 {
		t.Errorf("got %+v, want one finding of kind clock in slow.Boot, line 13", r.Findings)
	}

	stdout, stderr, status = run(t, "vet", "--no-tests", dir+"tagged")
	if status != 0 || stderr != "" || !strings.HasPrefix(stdout, "no handlers in 1 package") {
		t.Errorf("exit status %d, stderr %q:\n%s", status, stderr, stdout)
	}

	stdout, stderr, status = run(t, "vet", dir+"broken")
	if status != 2 || stdout != "" || !strings.Contains(stderr, "broken.go:7:40: env.Sent undefined") {
		t.Errorf("exit status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}
