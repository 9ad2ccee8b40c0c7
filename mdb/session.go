package mdb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/mdb/internal/cmdline"
	"github.com/macemc/macemc/mdb/internal/variables"
	"github.com/macemc/macemc/sim"
)

// Config configures a session. Only System, or Trace, is required.
type Config struct {
	System *sim.System
	Header pathfile.Header // of the path's file
	Path   choose.Path     // nil means only the first boots, with answer 0 to each of their questions
	Name   string          // name of the file, for display; empty if there is none
	Live   choose.Path     // run to compare with; nil means none
	// LiveName is the file of Live, or the reason why there is none.
	LiveName string
	// CriticalTransition is the critical transition of Path. It is ignored if its number of steps differs.
	CriticalTransition CriticalTransition
	// Start is the step at which the session begins if no critical step is known. 0 means the step with the finding.
	Start int
	// Trace is a run that was recorded from a test and cannot be executed. LiveTrace is one that passes, or nil. With Trace, the fields
	// System, Header, Path and Live are unused.
	Trace, LiveTrace *replay.Trace
	// Try executes the test of Trace again. The new run follows the run from up to a step, where the goroutine with the given number
	// continues instead. name is the name of the new run. A nil Try means that the test cannot be executed.
	Try func(ctx context.Context, from, name string, step, goroutine int) (*replay.Trace, error)
	// Inspect executes the test in a debugger under the schedule of a run; nil means that it cannot. Operations of requests and stops are
	// steps.
	Inspect func(ctx context.Context, run string, r inspect.Request) (*inspect.Reply, error)
	// WriteTest writes a regression test for the path in a file and returns its name. nil means that no test defines the system.
	WriteTest func(pathFile string) (string, error)
	// End describes what follows the last step that can be executed, for example that the next step kills its process.
	End string
}

// Session is a debugging session. It is not safe for concurrent use.
type Session struct {
	subject
	cfg      Config
	sys      *sim.System
	runs     []*history.Run // the first one is the run that was opened
	run      *history.Run   // the current one
	node     int            // selected node; -1 means none
	table    []command
	last     []string // the last search, for "again"
	listed   listing  // the last list of events
	scope    variables.Scope
	branches int  // number of branches created
	batch    bool // whether no user can confirm questions
	asked    bool // whether the user has been asked to drop unsaved branches
}

// subject is what depends on whether a session is on the run of a system or of a test.
type subject struct {
	kind       kind
	conditions []string // of find, besides nodes and fields
	noCritical error    // why the critical step is not known
	noOther    error    // why there is no run to compare with
	variables  variables.Kind
	options    func(s *Session) ([]OptionLine, error) // what can happen, for screens
}

// ErrQuit is returned by [Session.Do] when the session is over.
var ErrQuit = errors.New("quit")

// Open executes the runs of cfg and returns a session on them. The error describes how a path does not fit the system.
func Open(cfg Config) (*Session, error) {
	if cfg.Trace != nil {
		return openRecorded(cfg), nil
	}
	path := cfg.Path
	if path == nil {
		var err error
		if path, err = history.FirstBoots(cfg.System); err != nil {
			return nil, err
		}
	}
	r, err := history.New(cfg.System, "main", path)
	if err != nil {
		return nil, err
	}
	r.File, r.Saved = cfg.Name, true
	if cfg.CriticalTransition.Steps == r.Len() && cfg.CriticalTransition.Step <= r.Len() {
		r.Critical, r.Why = cfg.CriticalTransition.Step, cfg.CriticalTransition.Why
	}
	if h := &cfg.Header; h.Endless && r.Executed().ComesRound(h.Round) {
		r.Round = h.Round
	}
	s := &Session{cfg: cfg, sys: cfg.System, runs: []*history.Run{r}, run: r, node: -1, table: commandsFor(ofSystem)}
	s.subject = subject{
		kind: ofSystem, conditions: conditions, variables: variables.OfSystem{}, options: (*Session).Options,
		noCritical: errors.New(`the critical transition is not known; "critical" searches for it`),
		noOther: fmt.Errorf("%s; name one after the path, or make one with \"walk\"",
			strings.TrimSuffix("there is no live run to compare with: "+cfg.LiveName, ": ")),
	}
	if cfg.Live != nil {
		live, err := history.New(cfg.System, "live", cfg.Live)
		if err != nil {
			return nil, fmt.Errorf("live run: %w", err)
		}
		live.File, live.Saved = cfg.LiveName, true
		s.addPassing(live)
	}
	return s, nil
}

// Do executes the commands of a line, which semicolons separate, and writes their output to w. It stops at the first command that fails.
// The error is that of the command, [ErrQuit], or that of w. Long commands stop early when ctx is done.
func (s *Session) Do(ctx context.Context, line string, w io.Writer) error {
	commands, err := cmdline.Split(line)
	if err != nil {
		return err
	}
	for _, words := range commands {
		if err := s.write(ctx, words, w); err != nil {
			return err
		}
	}
	return nil
}

// write executes one command and writes its output.
func (s *Session) write(ctx context.Context, command []string, w io.Writer) error {
	var out bytes.Buffer
	err := s.do(ctx, command, &out)
	if _, e := io.WriteString(w, textfmt.Printable(out.String())); e != nil {
		return e
	}
	return err
}

func (s *Session) do(ctx context.Context, words []string, out *bytes.Buffer) error {
	asked := s.asked
	s.asked = false
	name, args := words[0], words[1:]
	if isStep(name) {
		name, args = "goto", words
	}
	c, err := s.command(name)
	if err != nil {
		return err
	}
	if c.name == "quit" {
		s.asked = asked
	}
	if err := s.refuses(c); err != nil {
		return err
	}
	if c.args == "" && len(args) > 0 {
		return fmt.Errorf("%s takes no arguments", c.name)
	}
	if err := c.do(s, ctx, args, out); err != nil {
		if cmdline.IsUsage(err) {
			return fmt.Errorf("%w; usage: %s", err, c.usage)
		}
		return err
	}
	return nil
}

// Begin moves to the critical step. If that is unknown, it moves to [Config].Start, or else to the step of the finding if found is set.
func (s *Session) Begin(found bool) {
	at := cmp.Or(s.run.Critical, s.cfg.Start)
	if f, n := s.run.FirstFound(); at == 0 && found && f != nil {
		at = n
	}
	s.run.At = min(at, s.run.Len())
}

// Quit ends the session: it returns [ErrQuit]. If branches are not saved, the first of consecutive calls returns an error that lists them.
func (s *Session) Quit() error {
	var names []string
	for _, r := range s.runs {
		if r.Unsaved() {
			names = append(names, r.Name)
		}
	}
	if len(names) == 0 || s.asked || s.batch {
		return ErrQuit
	}
	s.asked = true
	return fmt.Errorf("%s not saved: \"run NAME\" and \"save FILE\" keep a branch, \"quit\" once more drops all", strings.Join(names, ", "))
}

// Stay cancels a first [Session.Quit].
func (s *Session) Stay() { s.asked = false }

// isStep reports whether a word by itself is a command to go to a step.
func isStep(word string) bool {
	_, err := strconv.Atoi(word)
	return err == nil || word == "start" || word == "end"
}

// nodeID parses a node, such as n2, 2 or "node 2", or g3 for a recorded test.
func (s *Session) nodeID(word string) (int, error) {
	r := s.run
	n, err := r.ParseNode(word)
	if err != nil || n < 0 || n >= s.sys.Nodes {
		return 0, cmdline.Usagef("unknown %s %q; %ss are %s to %s", r.NodeWord, word, r.NodeWord, r.Node(0), r.Node(s.sys.Nodes-1))
	}
	return n, nil
}

// place parses a step: 17, +3, -3, start, end, critical or here.
func (s *Session) place(word string) (int, error) {
	r := s.run
	switch word {
	case "start", "first":
		return 0, nil
	case "end", "last":
		return r.Len(), nil
	case "here", ".":
		return r.At, nil
	case "critical", "crit":
		if r.Critical == 0 {
			return 0, s.noCritical
		}
		return r.Critical, nil
	}
	n, err := strconv.Atoi(word)
	if err != nil {
		return 0, cmdline.Usagef("%q is not a step: give a number, +N, -N, start, end, critical or here", word)
	}
	if word[0] == '+' || word[0] == '-' {
		n = min(max(0, r.At+n), r.Len())
	}
	if s.ends(r) && n == r.Len()+1 {
		n-- // the last step shows what follows
	}
	if n > r.Len() {
		return 0, fmt.Errorf("no step %d; the run has %d", n, r.Len())
	}
	return n, nil
}

// ends reports whether something that cannot be executed follows the last step of a run.
func (s *Session) ends(r *history.Run) bool { return s.cfg.End != "" && r == s.runs[0] }

// stepIn returns the step in the arguments, or the current step if there is none.
func (s *Session) stepIn(args []string) (int, error) {
	switch len(args) {
	case 0:
		return s.run.At, nil
	case 1:
		return s.place(args[0])
	}
	return 0, cmdline.Usagef("more than one step")
}

// other returns the run for comparison: the run from which the current one branches, or else the first branch of the current run.
func (s *Session) other() (*history.Run, error) {
	if s.run.From != nil {
		return s.run.From, nil
	}
	for _, r := range s.runs {
		if r != s.run && r.From == s.run {
			return r, nil
		}
	}
	return nil, s.noOther
}

// named returns the run with a name.
func (s *Session) named(name string) (*history.Run, error) {
	if i := slices.Index(s.runNames(), name); i >= 0 {
		return s.runs[i], nil
	}
	return nil, fmt.Errorf("unknown run %q; the runs are %s", name, strings.Join(s.runNames(), ", "))
}

// addPassing adds a run to compare the current one with.
func (s *Session) addPassing(r *history.Run) {
	r.From, r.Common = s.run, s.run.Shared(r)
	s.runs = append(s.runs, r)
}
