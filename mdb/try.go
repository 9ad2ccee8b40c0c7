package mdb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/mdb/internal/cmdline"
)

func tryCommands() []command {
	return []command{
		{
			name: "choices", serves: ofSystem, aliases: []string{"c"}, group: trying, args: "[STEP]",
			about: "the choices of a step, and what else was possible there",
			do:    choices,
		},
		{
			name: "options", aliases: []string{"o"}, group: trying, about: "what can happen next; faults come last",
			more: "The event marked with @ happens next in this run.", do: options,
			test: variant{
				about: "the goroutines that can continue before this step", do: listGoroutines,
				more: "The goroutines that can continue before this step. \"take g3\" lets goroutine 3 continue.",
			},
		},
		{
			name: "take", branches: true, group: trying, args: "EVENT [PICK...]",
			about: "continue by hand: make an event of \"options\" happen next",
			more: "take 3           event number 3\ntake 3 1 0       the same, with alternative 1 for its first choice and 0 for its second\n" +
				"take n0 resend   the only event whose text contains these words\n" +
				"Choices without a PICK take alternative 0. At the end of a branch the command extends the branch. Anywhere else\n" +
				"it starts a new branch and leaves the current run unchanged.",
			do: func(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
				return s.take(s.run.At, "options", args, out)
			},
			test: variant{
				usage: "take GOROUTINE", about: "let another goroutine continue before this step, on a branch",
				more: "take g3   goroutine 3 continues before the operation of this step\n" +
					"The test is executed again under the schedule with this switch, as a new branch. The case that a select takes\n" +
					"cannot be chosen.",
				do: takeGoroutine,
			},
		},
		{
			name: "instead", branches: true, group: trying, args: "EVENT [PICK...]",
			about: "make another event of \"choices\" happen in place of this step, on a branch",
			more:  "EVENT and PICK are as in \"take\". Directly after \"options\" or \"choices STEP\", EVENT is one of that list.", do: instead,
			test: variant{usage: "instead GOROUTINE", about: "the same as take", more: "instead g3   the same as take g3", do: takeGoroutine},
		},
		{
			name: "walk", serves: ofSystem, branches: true, group: trying, args: "[steps=N] [seed=S]",
			about: "continue at random from here, without faults, until a live state",
			do:    walk,
		},
		{
			name: "search", serves: ofSystem, branches: true, group: trying, args: "[live | violation] [walks=K] [steps=N] [time=T] [seed=S]",
			about: "search from here for a live state or for a violation",
			more: "search live       the shortest of K walks (200) of at most N steps (2,000) that reaches a live state\n" +
				"search violation  a search from here for T (10s), with the remaining faults\n" +
				"The default is live. The run that is found becomes a branch.",
			do: searchOn, words: func(*Session) []string { return []string{"live", "violation", "walks=", "steps=", "time=", "seed="} },
		},
		{
			name: "save", serves: ofSystem, group: trying, args: "FILE", about: "write the current run as a path file, up to its end",
			more: "A file that exists is never overwritten.",
			do:   save,
		},
		{
			name: "test", serves: ofSystem, group: trying, about: "write a regression test that replays the current run",
			more: "The run must be saved. The test is a copy of the test that checks the system, beside it, and has its own copy of the run.\n" +
				"A file that exists is never overwritten.",
			do: writeTest,
		},
	}
}

// listing identifies the events that a command has listed: those after a step of a run, with the session at a step. The zero value means
// none since the last move.
type listing struct {
	run       *history.Run
	at, after int
	command   string
}

func options(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
	r := s.run
	taken, err := s.taken()
	if err != nil {
		return err
	}
	s.listed = listing{r, r.At, r.At, "options"}
	if err := s.list(r.At, taken, out); err != nil {
		return err
	}
	return r.WriteHeld(out, "       ", r.At, -1)
}

// taken returns the index of the event that happens next in the run, or -1 at its end.
func (s *Session) taken() (int, error) {
	r := s.run
	if r.At == r.Len() {
		return -1, nil
	}
	t, err := r.Trace(r.At + 1)
	if err != nil {
		return 0, err
	}
	return t.Index, nil
}

// list lists the events that can happen after step n, and marks the event with index taken.
func (s *Session) list(n, taken int, out *bytes.Buffer) error {
	x := s.run.Executed()
	all, enabled, err := x.Events(n)
	if err != nil {
		return err
	}
	if taken >= 0 {
		fmt.Fprintf(out, "step %d: event %d of these\n", n+1, taken)
	}
	for i, ev := range all {
		mark, fault := " ", ""
		if i == taken {
			mark = "@"
		}
		if i >= enabled {
			fault = "  (fault)"
		}
		fmt.Fprintf(out, " %s%3d  %s%s\n", mark, i, x.Words.Describe(x.Cursor.World(), ev), fault)
	}
	switch {
	case len(all) == 0:
		fmt.Fprintln(out, "  nothing can happen")
	case enabled == 0:
		fmt.Fprintln(out, "  nothing can happen but faults")
	}
	return nil
}

// instead replaces the step whose alternatives are listed, by default the current one.
func instead(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	r, l := s.run, s.listed
	if l.run != r || l.at != r.At {
		l = listing{after: r.At - 1, command: "choices"}
	}
	if l.after < 0 {
		return errors.New(`the first state has no step to replace; "options" lists what can happen next, and "take EVENT" makes it happen`)
	}
	return s.take(l.after, l.command, args, out)
}

func choices(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	n, err := s.stepIn(args)
	if err != nil {
		return err
	}
	t, err := s.run.Trace(n)
	if err != nil {
		return err
	}
	if n == 0 {
		fmt.Fprintln(out, "all nodes boot")
	} else {
		s.listed = listing{s.run, s.run.At, n - 1, cmdline.Join(append([]string{"choices"}, args...))}
		if err := s.list(n-1, t.Index, out); err != nil {
			return err
		}
	}
	asked := 0
	for _, c := range t.Choices {
		if c.Arity > 1 {
			if asked++; asked == 1 {
				fmt.Fprintln(out, "choices in the step:")
			}
			fmt.Fprintf(out, "  %d. %s\n", asked, question(c))
		}
	}
	return nil
}

// picker answers choices with the given picks, then with 0, and records the choices.
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
			p.wrong = fmt.Errorf("pick %d is %d, but choice %q has alternatives 0 to %d", i+1, pick, point.Label, point.Arity-1)
		}
		pick = 0
	}
	p.asked = append(p.asked,
		fmt.Sprintf("%d. %s", i+1, question(stepinfo.Answer{Kind: point.Kind, Label: point.Label, Pick: pick, Arity: point.Arity})))
	return pick
}

// question describes a question with its answer and the range of possible answers.
func question(a stepinfo.Answer) string {
	text := fmt.Sprintf("%s %q: alternative %d of %d", a.Kind, a.Label, a.Pick, a.Arity)
	if a.Kind != choose.Draw {
		text += fmt.Sprintf(" (%s)", replay.Answered(a))
	}
	return text
}

// chosen parses an event that can happen after step n, with the picks behind it. The command list shows these events.
func (s *Session) chosen(n int, list string, args []string) (event int, picks []int, err error) {
	if len(args) == 0 {
		return 0, nil, cmdline.Usagef("which event? %q lists them", list)
	}
	x := s.run.Executed()
	all, _, err := x.Events(n)
	if err != nil {
		return 0, nil, err
	}
	if len(all) == 0 {
		return 0, nil, errors.New("nothing can happen here")
	}
	if event, err = strconv.Atoi(args[0]); err != nil {
		text := strings.Join(args, " ")
		var like []string
		for i, ev := range all {
			if d := x.Words.Describe(x.Cursor.World(), ev); strings.Contains(strings.ToLower(d), strings.ToLower(text)) {
				event, like = i, append(like, fmt.Sprintf("%d %s", i, d))
			}
		}
		switch len(like) {
		case 0:
			return 0, nil, cmdline.Usagef("no event contains %q; give the number of one, %q lists them", text, list)
		case 1:
			return event, nil, nil
		}
		return 0, nil, cmdline.Usagef("%q may be %s; give the number", text, strings.Join(textfmt.Few(like, mostAlternatives), " or "))
	}
	if event < 0 || event >= len(all) {
		return 0, nil, fmt.Errorf("there is no event %d; %q lists 0 to %d", event, list, len(all)-1)
	}
	for _, a := range args[1:] {
		pick, err := strconv.Atoi(a)
		if err != nil {
			return 0, nil, cmdline.Usagef("%q is not the number of an alternative", a)
		}
		picks = append(picks, pick)
	}
	return event, picks, nil
}

// take extends a run by an event after step n, see chosen.
func (s *Session) take(n int, list string, args []string, out *bytes.Buffer) error {
	event, picks, err := s.chosen(n, list, args)
	if err != nil {
		return err
	}
	b, err := s.branchAt(n)
	if err != nil {
		return err
	}
	before, saved := b.Len(), b.Saved
	p := &picker{picks: picks}
	if err := b.Executed().Extend(event, p); err != nil {
		return err
	}
	if p.wrong != nil || len(p.asked) < len(p.picks) {
		if p.wrong == nil {
			p.wrong = fmt.Errorf("the step has %d choices, but %d picks were given", len(p.asked), len(p.picks))
		}
		if s.run != b { // a new branch, which is discarded
			return p.wrong
		}
		c, err := history.Branch(b, b.Name, before)
		if err != nil {
			return err
		}
		c.File, c.From, c.Common, c.Saved = b.File, b.From, b.Common, saved
		*b = *c
		return p.wrong
	}
	s.enter(b)
	for _, q := range p.asked {
		fmt.Fprintf(out, "  %s\n", q)
	}
	return s.to(b.At, out)
}

// branchAt returns the run to which a step after step n is added. It is the current run if that is a branch that ends there, or else a new
// branch, which does not yet belong to the session.
func (s *Session) branchAt(n int) (*history.Run, error) {
	r := s.run
	if n == r.Len() && r != s.runs[0] && r.Name != "live" {
		return r, nil
	}
	return history.Branch(r, fmt.Sprintf("branch%d", s.branches+1), n)
}

// enter makes a run the current one.
func (s *Session) enter(r *history.Run) {
	if !slices.Contains(s.runs, r) {
		s.branches++
		s.runs = append(s.runs, r)
	}
	s.run = r
}

func save(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	if len(args) != 1 {
		return cmdline.Usagef("the name of a file is missing")
	}
	r := s.run
	h := s.cfg.Header
	h.Known, h.Note = "", fmt.Sprintf("%s, made in the debugger", r.Name)
	if f, _ := r.FirstFound(); f == nil && r.Step(r.Len()).Live {
		h.Property = ""
	}
	f, err := replay.WriteFile(s.sys, h, r.Executed().Cursor.Path())
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
	r.File, r.Saved = args[0], true
	fmt.Fprintf(out, "%d steps are in %s\n", r.Len(), args[0])
	return nil
}

func writeTest(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
	r := s.run
	switch {
	case s.cfg.WriteTest == nil:
		return errors.New("a regression test is a copy of the test of a package, and this system is not defined by one")
	case !r.Saved || r.File == "":
		return fmt.Errorf("%s is not saved: \"save FILE\" first", r.Name)
	}
	file, err := s.cfg.WriteTest(r.File)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "the regression test is %s\n", file)
	return nil
}
