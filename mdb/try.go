package mdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/kernel"
)

func tryCommands() []command {
	return []command{
		{
			name: "choices", aliases: []string{"c"}, group: trying, args: "[STEP]",
			about: "the choices of a step, and what else was possible there",
			do:    choices,
		},
		{
			name: "options", aliases: []string{"o"}, group: trying, about: "what can happen next; faults come last",
			do: func(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
				return s.options(s.run.at, -1, out)
			},
		},
		{
			name: "take", group: trying, args: "EVENT [PICK...]",
			about: "go on by hand: make an event of \"options\" happen next",
			more: "take 3       the event of number 3\ntake 3 1 0   and the first question in it is answered by alternative 1, the second by 0\n" +
				"Questions without a pick are answered by alternative 0. Behind the end of a branch the branch goes on; anywhere\n" +
				"else a new one begins, and the run that it left stays as it is.",
			do: func(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
				return s.take(s.run.at, args, out)
			},
		},
		{
			name: "instead", group: trying, args: "EVENT [PICK...]",
			about: "make another event of \"choices\" happen in place of this step, on a branch",
			do: func(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
				if s.run.at == 0 {
					return errors.New("the first state has no step to replace")
				}
				return s.take(s.run.at-1, args, out)
			},
		},
		{
			name: "walk", group: trying, args: "[steps=N] [seed=S]",
			about: "go on at random from here, without faults, until a live state",
			do:    walk,
		},
		{
			name: "search", group: trying, args: "[live | violation] [walks=K] [steps=N] [time=T] [seed=S]",
			about: "go on from here until live, or until something is violated",
			more: "search live       the shortest of K walks (200) of at most N steps (2,000) that reaches a live state\n" +
				"search violation  a search from here for T (10s), with the faults that are left\n" +
				"Without either: live. What is found is a branch.",
			do: searchOn, words: func(*Session) []string { return []string{"live", "violation", "walks=", "steps=", "time=", "seed="} },
		},
		{
			name: "save", group: trying, args: "FILE", about: "write the current run as a path file, up to its end",
			more: "A file that exists is never overwritten.",
			do:   save,
		},
	}
}

// options lists what can happen after step n; the event of index taken is marked.
func (s *Session) options(n, taken int, out *bytes.Buffer) error {
	w, err := s.run.world(n)
	if err != nil {
		return err
	}
	if n == s.run.len() && s.run.finding != nil {
		return fmt.Errorf("the run ends with a finding, nothing can follow: %w", s.run.finding)
	}
	enabled := len(w.Enabled())
	for i, ev := range w.Injections(slices.Clone(w.Enabled())) {
		mark, fault := " ", ""
		if i == taken {
			mark = "@"
		}
		if i >= enabled {
			fault = "  (fault)"
		}
		fmt.Fprintf(out, " %s%3d  %s%s\n", mark, i, s.run.words.Describe(w, ev), fault)
	}
	if enabled == 0 {
		fmt.Fprintln(out, "  nothing can happen but faults")
	}
	return nil
}

func choices(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	n, err := s.stepIn(args)
	if err != nil {
		return err
	}
	t, err := s.run.trace(n)
	if err != nil {
		return err
	}
	if n == 0 {
		fmt.Fprintln(out, "first boots")
	} else {
		fmt.Fprintf(out, "step %d: event %d of those that could happen\n", n, t.Index)
		if err := s.options(n-1, t.Index, out); err != nil {
			return err
		}
	}
	asked := 0
	for _, c := range t.Choices {
		if c.Arity > 1 {
			if asked++; asked == 1 {
				fmt.Fprintln(out, "questions in the step:")
			}
			fmt.Fprintf(out, "  %d. %s\n", asked, question(c))
		}
	}
	return nil
}

// picker answers questions by given picks, then by 0, and keeps what was asked.
type picker struct {
	picks []int
	asked []string
	wrong error
}

func (p *picker) Choose(point choose.Point) int {
	i, pick := len(p.asked), 0
	if i < len(p.picks) {
		pick = p.picks[i]
	}
	if pick < 0 || pick >= point.Arity {
		if p.wrong == nil {
			p.wrong = fmt.Errorf("pick %d is %d, but question %q has alternatives 0 to %d", i+1, pick, point.Label, point.Arity-1)
		}
		pick = 0
	}
	p.asked = append(p.asked, fmt.Sprintf("%d. %s", i+1, question(kernel.Answer{Kind: point.Kind, Label: point.Label, Pick: pick, Arity: point.Arity})))
	return pick
}

// question says how a question was answered, and by which numbers it could be.
func question(a kernel.Answer) string {
	text := fmt.Sprintf("%s %q: pick %d of 0 to %d", a.Kind, a.Label, a.Pick, a.Arity-1)
	if a.Kind != choose.Draw {
		text += fmt.Sprintf(" (%s)", replay.Answered(a))
	}
	return text
}

// take makes an event happen after step n.
func (s *Session) take(n int, args []string, out *bytes.Buffer) error {
	if len(args) == 0 {
		return badUsage("which event?")
	}
	var numbers []int
	for _, a := range args {
		x, err := strconv.Atoi(a)
		if err != nil {
			return badUsage("%q is no number", a)
		}
		numbers = append(numbers, x)
	}
	b, err := s.branchAt(n)
	if err != nil {
		return err
	}
	before, saved := b.len(), b.saved
	p := &picker{picks: numbers[1:]}
	if err := b.extend(numbers[0], p); err != nil {
		return err
	}
	if p.wrong != nil || len(p.asked) < len(p.picks) {
		if p.wrong == nil {
			p.wrong = fmt.Errorf("the step asks %d questions, but %d picks were given", len(p.asked), len(p.picks))
		}
		if s.run != b { // a new branch, which nobody knows yet
			return p.wrong
		}
		c, err := b.branch(b.name, before)
		if err != nil {
			return err
		}
		c.file, c.from, c.common, c.saved = b.file, b.from, b.common, saved
		*b = *c
		return p.wrong
	}
	s.enter(b)
	for _, q := range p.asked {
		fmt.Fprintf(out, "  %s\n", q)
	}
	return s.to(b.at, out)
}

// branchAt returns the run that a step behind step n is to be added to: the current one when it is a branch
// that ends there, or else a new branch, which is not yet one of the session's.
func (s *Session) branchAt(n int) (*run, error) {
	r := s.run
	if n == r.len() && r != s.runs[0] && r.name != "live" {
		return r, nil
	}
	if n == r.len() && r.finding != nil {
		return nil, fmt.Errorf("the run ends with a finding, nothing can follow: %w", r.finding)
	}
	return r.branch(fmt.Sprintf("branch%d", s.branches+1), n)
}

// enter makes a run the current one.
func (s *Session) enter(r *run) {
	if !slices.Contains(s.runs, r) {
		s.branches++
		s.runs = append(s.runs, r)
	}
	s.run = r
}

// settings are KEY=VALUE arguments.
func settings(args []string, known ...string) (map[string]string, []string, error) {
	set := map[string]string{}
	var rest []string
	for _, a := range args {
		key, value, ok := strings.Cut(a, "=")
		if !ok {
			rest = append(rest, a)
			continue
		}
		if !slices.Contains(known, key) {
			return nil, nil, badUsage("there is no setting %q; there are %s", key, strings.Join(known, ", "))
		}
		set[key] = value
	}
	return set, rest, nil
}

func setting(set map[string]string, key string, otherwise int) (int, error) {
	text, ok := set[key]
	if !ok {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, badUsage("%s=%s must be a number of at least 1", key, text)
	}
	return n, nil
}

const (
	walkSteps   = 2000
	searchWalks = 200
	searchTime  = 10 * time.Second
)

// walker makes walks from where the session stands.
type walker struct {
	loop *search.Loop
	walk stoppable
	seed uint64
	from choose.Path
}

func (s *Session) walker(ctx context.Context, steps int, seed uint64) (*walker, error) {
	if err := s.clean(); err != nil {
		return nil, err
	}
	w, err := kernel.NewWorld(s.sys, kernel.Options{})
	if err != nil {
		return nil, err
	}
	x := &walker{loop: search.NewLoop(w), walk: stoppable{search.NewWalker(search.DefaultWeights(), steps), ctx.Err}, seed: seed}
	x.walk.SetLeave(s.run.step(s.run.at).live)
	if _, err := s.run.world(s.run.at); err != nil {
		return nil, err
	}
	x.from = s.run.cursor.Path()[:s.run.cursor.Pos()]
	return x, nil
}

// stoppable is a walk that ends early when there is a reason to.
type stoppable struct {
	*search.Walker
	reason func() error
}

// Select implements [search.Strategy].
func (w stoppable) Select(at *search.Node) search.Selection {
	if at.Step%1024 == 0 && w.reason() != nil {
		return search.Selection{End: search.Stopped}
	}
	return w.Walker.Select(at)
}

// clean says why walks from here would end at once.
func (s *Session) clean() error {
	if f, n := s.run.firstFound(); f != nil && n <= s.run.at {
		return fmt.Errorf("nothing is looked for behind a finding, and there is one in step %d: %w", n, f)
	}
	return nil
}

func (x *walker) make(k int) (search.Outcome, choose.Path) {
	x.walk.Seed(x.seed, uint64(k))
	o := x.loop.Run(x.walk, search.Task{Path: x.from})
	return o, x.loop.Replay().Path
}

// adopt makes a path that goes on from here a branch, and goes to its end.
func (s *Session) adopt(path choose.Path, out *bytes.Buffer) error {
	b, err := newRun(s.sys, fmt.Sprintf("branch%d", s.branches+1), path.Clone())
	if err != nil {
		return err
	}
	b.from, b.common = s.run, s.run.at
	if s.run.critical <= s.run.at {
		b.critical = s.run.critical
	}
	from := s.run.at
	s.enter(b)
	fmt.Fprintf(out, "%s: %d steps more from step %d on\n", b.name, b.len()-from, from)
	return s.to(b.len(), out)
}

func walk(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error {
	set, rest, err := settings(args, "steps", "seed")
	if err != nil {
		return err
	}
	if len(rest) > 0 {
		return badUsage("%q?", strings.Join(rest, " "))
	}
	steps, err := setting(set, "steps", walkSteps)
	if err != nil {
		return err
	}
	seed, err := setting(set, "seed", 1)
	if err != nil {
		return err
	}
	x, err := s.walker(ctx, steps, uint64(seed))
	if err != nil {
		return err
	}
	o, path := x.make(0)
	switch o.End {
	case search.Misfit:
		return o.Err
	case search.Stopped:
		return ctx.Err()
	}
	if o.Steps == s.run.at {
		return errors.New("nothing can happen here but faults")
	}
	switch {
	case o.Finding != nil:
	case o.Live:
		fmt.Fprintf(out, "live after %d steps\n", o.Steps-s.run.at)
	case o.End == search.OutOfEvents:
		fmt.Fprintf(out, "after %d steps nothing can happen any more; not live\n", o.Steps-s.run.at)
	default:
		fmt.Fprintf(out, "not live after %d steps\n", o.Steps-s.run.at)
	}
	return s.adopt(path, out)
}

func searchOn(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error {
	set, rest, err := settings(args, "walks", "steps", "seed", "time")
	if err != nil {
		return err
	}
	want := "live"
	if len(rest) > 0 {
		want = rest[0]
	}
	if len(rest) > 1 || want != "live" && want != "violation" {
		return badUsage("search for live or violation")
	}
	steps, err := setting(set, "steps", walkSteps)
	if err != nil {
		return err
	}
	walks, err := setting(set, "walks", searchWalks)
	if err != nil {
		return err
	}
	seed, err := setting(set, "seed", 1)
	if err != nil {
		return err
	}
	limit := searchTime
	if text, ok := set["time"]; ok {
		if limit, err = time.ParseDuration(text); err != nil || limit <= 0 {
			return badUsage("time=%s must be like 10s", text)
		}
	}
	if want == "live" {
		return s.searchLive(ctx, walks, steps, uint64(seed), out)
	}
	if err := s.clean(); err != nil {
		return err
	}
	if _, err := s.run.world(s.run.at); err != nil {
		return err
	}
	from := s.run.cursor.Path()[:s.run.cursor.Pos()].Clone()
	res, err := search.Run(ctx, search.Config{
		System: *s.sys, Prefix: from, Time: limit, WalkSteps: steps, Seed: uint64(seed), Workers: 1,
		Confirm: func(_ context.Context, x search.Suspect) (search.Confirmed, error) {
			certain := x.Kind != sim.Liveness && x.Kind != sim.Deadlock
			return search.Confirmed{Violation: certain, Refuted: !certain}, nil
		},
	})
	if err != nil {
		return err
	}
	if res.Finding == nil {
		return fmt.Errorf("nothing found in %d runs from step %d (stopped by %s); that is no proof", res.Stats.Paths, s.run.at, res.Stopped)
	}
	fmt.Fprintf(out, "found: %s %s\n", res.Finding.Kind, firstLine(res.Finding.Message))
	return s.adopt(res.Finding.Path, out)
}

// searchLive walks until a live state and keeps the shortest walk.
func (s *Session) searchLive(ctx context.Context, walks, steps int, seed uint64, out *bytes.Buffer) error {
	x, err := s.walker(ctx, steps, seed)
	if err != nil {
		return err
	}
	var best choose.Path
	length, live, made := 0, 0, 0
	for ; made < walks && ctx.Err() == nil; made++ {
		o, path := x.make(made)
		switch {
		case o.End == search.Misfit:
			return o.Err
		case o.End == search.Stopped:
			made-- // this one does not count
			continue
		case o.Finding != nil:
			fmt.Fprintf(out, "walk %d found %s\n", made+1, firstLine(o.Finding.Error()))
			return s.adopt(path, out)
		case !o.Live:
			continue
		}
		if live++; best == nil || o.Steps < length {
			best, length = path.Clone(), o.Steps
		}
	}
	if best == nil {
		return fmt.Errorf("none of %d walks from step %d reached a live state (%d steps each)", made, s.run.at, steps)
	}
	fmt.Fprintf(out, "%d of %d walks reached a live state; the shortest after %d steps\n", live, made, length-s.run.at)
	return s.adopt(best, out)
}

func save(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	if len(args) != 1 {
		return badUsage("the name of a file is missing")
	}
	r := s.run
	h := s.cfg.Header
	h.Note = fmt.Sprintf("%s, made in the debugger", r.name)
	if f, _ := r.firstFound(); f == nil && r.step(r.len()).live {
		h.Property = ""
	}
	f, err := replay.WriteFile(s.sys, h, r.cursor.Path())
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if _, err := f.WriteTo(&b); err != nil {
		return err
	}
	if err := writeNew(args[0], b.Bytes()); err != nil {
		return err
	}
	r.file, r.saved = args[0], true
	fmt.Fprintf(out, "%d steps are in %s\n", r.len(), args[0])
	return nil
}
