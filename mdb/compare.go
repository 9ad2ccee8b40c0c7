package mdb

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/mdb/internal/cmdline"
	"github.com/macemc/macemc/sim"
)

func compareCommands() []command {
	return []command{
		{
			name: "diff", aliases: []string{"d"}, group: comparing, args: "[STEP [STEP] | RUN [STEP | same | match]]",
			about: "show how states differ: between two steps of this run, or with another run",
			more: "diff             with the live run at the matching step\ndiff 12          between the state after step 12 and here\n" +
				"diff 12 17       between the states after two steps\ndiff live same   with the live run after as many steps\ndiff live 20     with the live run after step 20\n" +
				"The matching step is the same occurrence of the same event, counted from where the runs diverge. The loss of a\n" +
				"message matches its delivery. If the other run has none, it is the step with the same number.",
			do: showDiff, words: (*Session).runWords,
		},
		{
			name: "runs", group: comparing, about: "the runs of this session", do: listRuns,
		},
		{
			name: "run", group: comparing, args: "NAME [STEP | same | match]",
			about: "switch to another run, at the matching step",
			do:    switchRun, words: (*Session).runWords,
		},
	}
}

func (s *Session) runWords() []string { return append(s.runNames(), "same", "match") }

func (s *Session) runNames() (names []string) {
	for _, r := range s.runs {
		names = append(names, r.Name)
	}
	return names
}

// parseOtherStep parses a step of another run: a number, same, or match, which is the default.
func (s *Session) parseOtherStep(r *history.Run, words []string) (n int, how string, err error) {
	switch {
	case len(words) > 1:
		return 0, "", cmdline.Usagef("%q?", strings.Join(words, " "))
	case len(words) == 0 || words[0] == "match":
		n, same := history.Match(s.run, r, s.run.At)
		if !same {
			return n, ", where that step does not occur", nil
		}
		return n, ", the matching step", nil
	case words[0] == "same":
		return min(s.run.At, r.Len()), "", nil
	}
	here := s.run
	s.run = r
	n, err = s.place(words[0])
	s.run = here
	return n, "", err
}

func showDiff(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	r := s.run
	if len(args) > 0 {
		n, err := s.place(args[0])
		if err != nil && !cmdline.IsUsage(err) {
			return err
		}
		if err == nil {
			to := r.At
			if len(args) > 1 {
				if to, err = s.place(args[1]); err != nil {
					return err
				}
			}
			if len(args) > 2 {
				return cmdline.Usagef("more than two steps")
			}
			fmt.Fprintf(out, "after step %d | after step %d\n", n, to)
			return r.WriteDifferences(out, n, r, to)
		}
	}
	var (
		other *history.Run
		err   error
	)
	if len(args) == 0 || args[0] == "same" || args[0] == "match" {
		other, err = s.other()
	} else {
		other, err = s.named(args[0])
		args = args[1:]
	}
	if err != nil {
		return err
	}
	n, how, err := s.parseOtherStep(other, args)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s after step %d | %s after step %d%s; the first %d steps are the same\n",
		r.Name, r.At, other.Name, n, how, r.Shared(other))
	return r.WriteDifferences(out, r.At, other, n)
}

// RunLine is a run of a session.
type RunLine struct {
	Name    string
	Text    string // its length, its origin and its end
	Current bool
	Unsaved bool // a branch that the end of the session drops
}

// Runs returns the runs of the session. The first one is the run that was opened.
func (s *Session) Runs() []RunLine {
	var lines []RunLine
	for _, r := range s.runs {
		lines = append(lines, RunLine{r.Name, r.Summary(), r == s.run, r.Unsaved()})
	}
	return lines
}

func listRuns(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
	for _, l := range s.Runs() {
		mark := " "
		if l.Current {
			mark = "@"
		}
		fmt.Fprintf(out, "%s %-10s %s\n", mark, l.Name, l.Text)
	}
	return nil
}

func switchRun(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	if len(args) == 0 {
		return cmdline.Usagef("which run?")
	}
	r, err := s.named(args[0])
	if err != nil {
		return err
	}
	if r == s.run && len(args) == 1 {
		return s.to(r.At, out)
	}
	n, how, err := s.parseOtherStep(r, args[1:])
	if err != nil {
		return err
	}
	s.run = r
	if how != "" {
		fmt.Fprintf(out, "at step %d%s\n", n, how)
	}
	return s.to(n, out)
}

// infoLine writes a line of "info", unless its text is empty.
func infoLine(out *bytes.Buffer, name, text string) {
	if text != "" {
		fmt.Fprintf(out, "  %-10s %s\n", name, text)
	}
}

func info(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
	h := &s.cfg.Header
	line := func(name, text string) { infoLine(out, name, text) }
	line("system", fmt.Sprintf("%s, %d nodes, timing %v", s.sys.Name, s.sys.Nodes, s.sys.Timing))
	if s.sys.CrashCut != sim.CutPrefix {
		line("crash cut", s.sys.CrashCut.String())
	}
	if simext.IsLive(s.sys.Network) {
		line("network", "as live nodes have it: streams take all that machines send, and attempts to connect may be refused")
	}
	var params []string
	for _, p := range h.Params {
		params = append(params, p.Key+"="+p.Value)
	}
	line("parameters", strings.Join(params, ", "))
	line("bugs", strings.Join(h.Bugs, ", "))
	var limits []string
	for _, l := range h.Limits {
		limits = append(limits, fmt.Sprintf("%s<=%d", l.Key, l.Value))
	}
	line("faults", strings.Join(limits, ", "))
	line("property", h.Property)
	if h.Endless {
		line("forever", h.Note)
	}
	main := s.runs[0]
	found, _ := main.FirstFound()
	line("run", strings.TrimSpace(fmt.Sprintf("%s %d steps", main.File, main.Len())))
	switch {
	case main.Critical > 0 && main.Critical == s.cfg.CriticalTransition.Step:
		line("critical", fmt.Sprintf("step %d, as recorded", main.Critical))
	case main.Critical > 0:
		line("critical", fmt.Sprintf("step %d", main.Critical))
	case main.Round > 0:
		line("cycle", fmt.Sprintf("steps %d to %d repeat forever", main.Len()-main.Round+1, main.Len()))
	case h.Endless && h.Round == 0:
		line("cycle", "none: in the end no fair event can happen any more")
	case found != nil && found.Kind == sim.Safety:
		line("critical", "none: a safety violation has no critical step")
	case found != nil || s.cfg.End != "":
		line("critical", "none: only a run that cannot recover has a critical step")
	default:
		line("critical", `not known; "critical" searches for it`)
	}
	if live, err := s.named("live"); err == nil {
		line("live run", fmt.Sprintf("%s %d steps, %d of them shared", live.File, live.Len(), live.Common))
	} else {
		line("live run", strings.TrimSuffix("none: "+s.cfg.LiveName, ": "))
	}
	if found != nil {
		line("found", history.Violation(found))
	}
	line("then", textfmt.FirstLine(s.cfg.End))
	if err := main.Executed().Cursor.Uncopied(); err != nil {
		line("note", "states are reached by executing from the start: "+textfmt.FirstLine(err.Error()))
	}
	return nil
}
