package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/sim"
)

// tool is one of the tools, with its arguments.
type tool struct {
	name, about string
	add         func(*mcp.Server, *server)
}

// newTool returns the tool that calls do.
func newTool[In any](name, about string, do func(*server, context.Context, In) (result, error)) tool {
	return tool{name, about, func(to *mcp.Server, s *server) {
		mcp.AddTool(to, &mcp.Tool{Name: name, Description: about},
			func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, result, error) {
				r, err := do(s, ctx, in)
				return nil, r, err
			})
	}}
}

func tools() []tool {
	return []tool{
		newTool("test", "execute the tests of packages under many schedules of their goroutines", (*server).test),
		newTool("search", "search a system for violations of its properties", (*server).search),
		newTool("explain", "explain a finding: the violation, the critical step, the run around it", (*server).explain),
		newTool("replay", "execute a run again: its steps, and whether the finding recurs", (*server).replay),
		newTool("step", "show one step of a run: event, choices, effects, changes, cause, source", (*server).step),
		newTool("state", "show states of nodes, messages and timers after a step", (*server).state),
		newTool("shrink", "make a violating run smaller, as a new run", (*server).shrink),
	}
}

// toolDoc lists the tools for the help text.
func toolDoc() string {
	var lines []string
	for _, t := range tools() {
		lines = append(lines, fmt.Sprintf("  %-8s %s", t.name, t.about))
	}
	return strings.Join(lines, "\n")
}

type testInput struct {
	Package   string `json:"package" jsonschema:"a folder or pattern of the module, such as ./lease or ./..."`
	Test      string `json:"test,omitempty" jsonschema:"only this test"`
	Schedules int    `json:"schedules,omitempty" jsonschema:"schedules for each test, instead of two seconds"`
	Race      bool   `json:"race,omitempty" jsonschema:"also look for data races"`
}

func (s *server) test(ctx context.Context, in testInput) (result, error) {
	if err := s.module.packages(in.Package); err != nil {
		return result{}, err
	}
	args := []string{"test"}
	if in.Test != "" {
		if err := checkTest(in.Test); err != nil {
			return result{}, err
		}
		args = append(args, "-run=^"+regexp.QuoteMeta(in.Test)+"$")
	}
	if in.Schedules > 0 {
		args = append(args, "-schedules="+strconv.Itoa(in.Schedules))
	}
	if in.Race {
		args = append(args, "-race")
	}
	stdout, stderr, status, err := s.run(ctx, append(args, in.Package)...)
	if err != nil {
		return result{}, err
	}
	r := result{Verdict: verdict(status), Text: short(strings.TrimSpace(stdout + stderr))}
	if status == exitcode.OK && regexp.MustCompile(`(?m)^macemc: \d+ new, [1-9]\d* known`).MatchString(stdout) {
		r.Verdict = onlyKnown
	}
	for _, m := range regexp.MustCompile(`replay: macemc test (?:-race )?-run \S+ -schedule (\S+) (\S+)`).FindAllStringSubmatch(stdout, -1) {
		id := path.Clean(filepath.ToSlash(m[1]))
		f := finding{ID: id, System: m[2]}
		if stored := s.module.schedule(id); stored != nil {
			f.System, f.Message = m[2]+":"+stored.Test, stored.Finding
		}
		r.Findings = append(r.Findings, f)
	}
	return r, nil
}

type searchInput struct {
	System   string `json:"system" jsonschema:"a package with a test that calls mctest.Check, such as ./lease or ./lease:TestLease, or a bundled system such as pingack"`
	Seconds  int    `json:"seconds,omitempty" jsonschema:"stop after this time (default 20, at most 600)"`
	Nodes    int    `json:"nodes,omitempty" jsonschema:"number of nodes (default: as the system defines)"`
	Strategy string `json:"strategy,omitempty" jsonschema:"a search strategy (default deepening); an unknown one is refused with a list of all"`
	Bug      string `json:"bug,omitempty" jsonschema:"known bug of a bundled system to enable"`
	Timing   string `json:"timing,omitempty" jsonschema:"when timers fire, such as AnyOrder, Prompt or Bounded:1s (default: as the system defines)"`

	Limits map[string]int `json:"limits,omitempty" jsonschema:"numbers of faults in a run, such as crashes, halts, loss, dup, partitions (default: as the system defines)"`
}

func (s *server) search(ctx context.Context, in searchInput) (result, error) {
	if err := s.module.system(in.System); err != nil {
		return result{}, err
	}
	seconds := min(cmp.Or(in.Seconds, 20), 600)
	args := []string{"search", "--json", "--time=" + strconv.Itoa(seconds) + "s"}
	if in.Strategy != "" {
		args = append(args, "--strategy="+in.Strategy)
	}
	if in.Bug != "" {
		args = append(args, "--bug="+in.Bug)
	}
	if in.Nodes != 0 {
		args = append(args, "--nodes="+strconv.Itoa(in.Nodes))
	}
	if in.Timing != "" {
		args = append(args, "--timing="+in.Timing)
	}
	for name, n := range in.Limits {
		if _, err := sim.ParseFault(name); err != nil {
			return result{}, err
		}
		args = append(args, fmt.Sprintf("--%s=%d", name, n))
	}
	stdout, stderr, status, err := s.run(ctx, append(args, "--", in.System)...)
	if err != nil {
		return result{}, err
	}
	r := result{Verdict: verdict(status)}
	var text []string
	for d := json.NewDecoder(strings.NewReader(stdout)); ; {
		var rep report.Report
		if err := d.Decode(&rep); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return result{}, errors.New(short(stderr + stdout))
		}
		r.Findings = append(r.Findings, findings(&rep)...)
		if len(rep.Known) > 0 && status == exitcode.OK {
			r.Verdict = onlyKnown
		}
		text = append(text, document.Headline(&rep))
	}
	if text == nil {
		return result{}, errors.New(short(stderr))
	}
	r.Text = short(strings.Join(text, "\n"))
	return r, nil
}

// findings returns the findings of a report.
func findings(r *report.Report) (list []finding) {
	for _, f := range r.Each() {
		one := finding{ID: filepath.ToSlash(f.PathFile), System: f.System, Kind: string(f.Kind), Property: f.Property, Message: f.Message,
			Steps: f.Steps, Handler: f.Handler}
		if f.Critical != nil {
			one.Critical = f.Critical.Step
		}
		list = append(list, one)
	}
	return list
}

type runInput struct {
	ID string `json:"id" jsonschema:"the id of a finding"`
}

func (s *server) explain(ctx context.Context, in runInput) (result, error) {
	if err := s.module.run(in.ID); err != nil {
		return result{}, err
	}
	if s.module.schedule(in.ID) != nil {
		return s.text(ctx, "graph", in.ID)
	}
	r, err := s.text(ctx, "report", "--format=text", in.ID)
	r.Verdict = "explained"
	return r, err
}

func (s *server) replay(ctx context.Context, in runInput) (result, error) {
	if err := s.module.run(in.ID); err != nil {
		return result{}, err
	}
	if stored := s.module.schedule(in.ID); stored != nil {
		return s.text(ctx, "test", "-run=^"+regexp.QuoteMeta(stored.Test)+"$", "-schedule="+in.ID, stored.Package)
	}
	return s.text(ctx, "replay", in.ID)
}

type stepInput struct {
	ID   string `json:"id" jsonschema:"the id of a finding"`
	Step int    `json:"step" jsonschema:"the number of the step, 0 for the initial state"`
}

func (s *server) step(ctx context.Context, in stepInput) (result, error) {
	commands := fmt.Sprintf("goto %d", in.Step)
	if in.Step > 0 {
		commands = fmt.Sprintf("step %d; goto %d; why; list 4", in.Step, in.Step)
	}
	return s.debug(ctx, in.ID, commands)
}

type stateInput struct {
	ID      string `json:"id" jsonschema:"the id of a finding"`
	Step    int    `json:"step" jsonschema:"the state after this step, 0 for the initial state"`
	Node    *int   `json:"node,omitempty" jsonschema:"only this node, by its number"`
	Pattern string `json:"pattern,omitempty" jsonschema:"only fields and messages that match a regular expression"`
}

func (s *server) state(ctx context.Context, in stateInput) (result, error) {
	about := ""
	if in.Node != nil {
		about += fmt.Sprintf(" n%d", *in.Node)
	}
	timers := "timers" + about
	if in.Pattern != "" {
		if strings.ContainsAny(in.Pattern, "/;'\"\n\r") { // they would end the pattern
			return result{}, fmt.Errorf("pattern %q has a quote, a slash, a semicolon or a line break", in.Pattern)
		}
		about += " /" + in.Pattern + "/"
	}
	return s.debug(ctx, in.ID, fmt.Sprintf("goto %d; state%s; messages%s; %s; properties", in.Step, about, about, timers))
}

// debug executes commands of the debugger.
func (s *server) debug(ctx context.Context, id, commands string) (result, error) {
	if err := s.module.run(id); err != nil {
		return result{}, err
	}
	r, err := s.text(ctx, "mdb", id, "--batch", "-x", commands)
	r.Verdict = "shown"
	return r, err
}

func (s *server) shrink(ctx context.Context, in runInput) (result, error) {
	if err := s.module.run(in.ID); err != nil {
		return result{}, err
	}
	stem := strings.TrimSuffix(in.ID, ".path")
	out := ""
	for n := 1; ; n++ {
		out = fmt.Sprintf("%s-shrunk%d.path", stem, n)
		if _, err := os.Lstat(filepath.Join(s.module.dir, out)); errors.Is(err, os.ErrNotExist) {
			break
		}
	}
	r, err := s.text(ctx, "shrink", in.ID, "--out", out)
	if _, none := os.Stat(filepath.Join(s.module.dir, out)); none == nil {
		r.Findings = []finding{{ID: out}}
	}
	return r, err
}
