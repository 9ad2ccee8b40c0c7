package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/internal/version"
	"github.com/macemc/macemc/systems/spec"
)

// server executes the tools.
type server struct {
	module  *module
	command func(args ...string) *exec.Cmd // of macemc
}

// newServer returns a server for the module that contains a folder.
func newServer(dir string, systems []spec.Entry, command func(args ...string) *exec.Cmd) (*mcp.Server, error) {
	m, err := openModule(dir, systems)
	if err != nil {
		return nil, err
	}
	s := &server{module: m, command: command}
	server := mcp.NewServer(&mcp.Implementation{Name: "macemc", Version: version.Current().Version}, &mcp.ServerOptions{
		Instructions: "macemc is a model checker for Go code. test and search find violations, each with an id. Ask about an id by explain, replay, step and state. " +
			"A search that found nothing proves nothing unless its verdict says that every state was visited.",
	})
	for _, t := range tools() {
		t.add(server, s)
	}
	return server, nil
}

// result is the result of a tool.
type result struct {
	Verdict  string    `json:"verdict" jsonschema:"the meaning of the exit status of macemc"`
	Findings []finding `json:"findings,omitempty" jsonschema:"the violations found"`
	Text     string    `json:"text,omitempty" jsonschema:"what macemc printed"`
}

// finding is a violation in a few lines.
type finding struct {
	ID       string `json:"id" jsonschema:"names the run for other tools"`
	System   string `json:"system,omitempty"`
	Kind     string `json:"kind,omitempty"`
	Property string `json:"property,omitempty"`
	Message  string `json:"message,omitempty"`
	Steps    int    `json:"steps,omitempty" jsonschema:"the length of the run"`
	Critical int    `json:"critical_step,omitempty" jsonschema:"random continuations from before this step recover, none from after it"`
	Handler  string `json:"handler,omitempty" jsonschema:"the source line of the critical step"`
}

// verdicts maps the exit statuses of macemc to texts.
var verdicts = map[int]string{
	exitcode.OK:           "no violation",
	exitcode.Violation:    "violation",
	exitcode.Usage:        "not executed",
	exitcode.Inconclusive: "inconclusive",
	exitcode.Resource:     "out of resources",
}

// onlyKnown is the verdict if all findings are accepted ones.
const onlyKnown = "only known violations"

// endTime is the time that an interrupted command has to report.
const endTime = 10 * time.Second

// run executes macemc in the folder of the module and returns its output. The error reports a failure to execute it.
func (s *server) run(ctx context.Context, args ...string) (stdout, stderr string, status int, err error) {
	cmd := s.command(args...)
	cmd.Env, cmd.Dir = append(cmd.Environ(), "NO_COLOR=1"), s.module.dir
	o, err := child.Run(ctx, cmd, endTime)
	return o.Stdout, o.Stderr, o.Status, err
}

// text executes macemc and returns its output as a result.
func (s *server) text(ctx context.Context, args ...string) (result, error) {
	stdout, stderr, status, err := s.run(ctx, args...)
	if err != nil {
		return result{}, err
	}
	if status == exitcode.Usage {
		return result{}, errors.New(short(cmp.Or(stderr, stdout)))
	}
	return result{Verdict: verdict(status), Text: short(stdout)}, nil
}

func verdict(status int) string {
	return cmp.Or(verdicts[status], fmt.Sprintf("exit status %d", status))
}

// maxText is the maximum length of a result's text in bytes.
const maxText = 6000

// short returns the first and the last lines of a long text, with a note about the omitted part between them.
func short(text string) string {
	text = strings.TrimRight(textfmt.Printable(text), "\n")
	if len(text) <= maxText {
		return text
	}
	lines := strings.Split(text, "\n")
	head, tail, size := 0, len(lines), 0
	for head < tail {
		if size += len(lines[head]) + 1; size > maxText*2/3 {
			break
		}
		head++
	}
	for tail > head {
		if size += len(lines[tail-1]) + 1; size > maxText {
			break
		}
		tail--
	}
	left := fmt.Sprintf("... %s left out; ask for a part ...", textfmt.Plural(tail-head, "line"))
	return strings.Join(append(append(lines[:head:head], left), lines[tail:]...), "\n")
}
