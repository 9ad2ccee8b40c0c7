package mdb

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/mdb/internal/cmdline"
	"github.com/macemc/macemc/sim"
)

func moveCommands() []command {
	return []command{
		{
			name: "next", aliases: []string{"n"}, group: moving, args: "[COUNT] [NODE]",
			about: "go to the next step, or to the next step of a node",
			more:  "next        the next step\nnext 5      five steps forward\nnext n2     the next step of node 2\nnext .      the next step of the selected node",
			do:    func(s *Session, _ context.Context, args []string, out *bytes.Buffer) error { return s.by(args, 1, out) },
			words: (*Session).nodeWords,
		},
		{
			name: "prev", aliases: []string{"p", "back"}, group: moving, args: "[COUNT] [NODE]",
			about: "go to the previous step, or to the previous step of a node",
			do: func(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
				return s.by(args, -1, out)
			},
			words: (*Session).nodeWords,
		},
		{
			name: "goto", aliases: []string{"g", "j"}, group: moving, args: "STEP",
			about: "go to the state after a step: a number, +N, -N, start, end, critical",
			do: func(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
				if len(args) != 1 {
					return cmdline.Usagef("which step?")
				}
				n, err := s.place(args[0])
				if err != nil {
					return err
				}
				return s.to(n, out)
			},
			words: func(*Session) []string { return []string{"start", "end", "critical"} },
		},
		{
			name: "continue", group: moving, about: "go forward to the critical step, the finding or the end, whichever is first",
			do: func(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
				r := s.run
				to := r.Len()
				if _, n := r.FirstFound(); n > r.At {
					to = n
				}
				if r.Critical > r.At {
					to = min(to, r.Critical)
				}
				if r.At == r.Len() {
					return errors.New("this is the end of the run")
				}
				return s.to(to, out)
			},
		},
		{
			name: "critical", aliases: []string{"crit"}, group: moving, args: "[again]",
			about: "go to the critical transition; searches for it if it is not known",
			more: "The critical transition is the step after which no live state can be reached. The one recorded with\n" +
				"the run is used. \"critical again\" searches for it anew, by random walks. For a test it is the step after\n" +
				"which no random continuation passed, as recorded in the file of the schedule.",
			do:   goCritical,
			test: variant{usage: "critical", about: "go to the critical step, if the file records one", do: goRecordedCritical},
		},
		{
			name: "node", group: moving, args: "[NODE | none]",
			about: "select a node, for \"next .\", \"prev .\" and the screen",
			do: func(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
				switch {
				case len(args) > 1:
					return cmdline.Usagef("one node at most")
				case len(args) == 1 && (args[0] == "none" || args[0] == "all"):
					s.node = -1
				case len(args) == 1:
					n, err := s.nodeID(args[0])
					if err != nil {
						return err
					}
					s.node = n
				}
				if s.node < 0 {
					fmt.Fprintln(out, "no node is selected")
				} else {
					fmt.Fprintf(out, "%s is selected\n", s.run.Node(s.node))
				}
				return nil
			},
			words: (*Session).nodeWords,
		},
	}
}

func (s *Session) nodeWords() []string {
	var words []string
	for i := range s.sys.Nodes {
		words = append(words, s.run.Node(i))
	}
	return words
}

// by moves some steps forward or backward.
func (s *Session) by(args []string, direction int, out *bytes.Buffer) error {
	count, node := 1, -1
	for _, a := range args {
		n, err := strconv.Atoi(a)
		switch {
		case a == ".":
			if node = s.node; node < 0 {
				return errors.New(`no node is selected; "node n0" selects one`)
			}
		case err == nil && n < 1:
			return cmdline.Usagef("%q is not a count of at least 1", a)
		case err == nil:
			count = n
		default:
			if node, err = s.nodeID(a); err != nil {
				return err
			}
		}
	}
	at := s.run.At
	for ; count > 0; count-- {
		n, ok := s.neighbour(at, direction, node)
		if !ok {
			if at != s.run.At {
				break // stop at the last such step
			}
			where := "end"
			if direction < 0 {
				where = "start"
			}
			if node >= 0 {
				return fmt.Errorf("%s has no step between here and the %s", s.run.Node(node), where)
			}
			return fmt.Errorf("this is the %s of the run", where)
		}
		at = n
	}
	return s.to(at, out)
}

// neighbour returns the nearest step of a node in a direction; node -1 means any.
func (s *Session) neighbour(at, direction, node int) (int, bool) {
	for n := at + direction; n >= 0 && n <= s.run.Len(); n += direction {
		if node < 0 || n > 0 && s.touches(n, node) {
			return n, true
		}
	}
	return 0, false
}

// touches reports whether a step belongs to the node.
func (s *Session) touches(n, node int) bool {
	step := s.run.Step(n)
	return int(step.Ev.Node) == node || slices.Contains(step.With, sim.NodeID(node))
}

// to moves to a step and describes it.
func (s *Session) to(n int, out *bytes.Buffer) error {
	s.Go(n)
	return s.describeStep(n, out)
}

// describeStep describes step n in a few lines.
func (s *Session) describeStep(n int, out *bytes.Buffer) error {
	r := s.run
	t, err := r.Trace(n)
	if err != nil {
		return err
	}
	name := ""
	if len(s.runs) > 1 {
		name = r.Name + " "
	}
	if n == 0 {
		fmt.Fprintf(out, "%sstep 0 of %d: %s%s\n", name, r.Len(), r.Step(0), liveWord(r, 0))
		return nil
	}
	fmt.Fprintf(out, "%sstep %d of %d: %s", name, n, r.Len(), r.Sentence(t))
	if t.Source != "" {
		fmt.Fprintf(out, "  [%s]", t.Source)
	}
	fmt.Fprint(out, liveWord(r, n))
	if n == r.Critical {
		fmt.Fprint(out, "  CRITICAL")
	}
	if r.InRound(n) {
		fmt.Fprintf(out, "  IN THE CYCLE of steps %d to %d, which repeats forever", r.Len()-r.Round+1, r.Len())
	}
	fmt.Fprintln(out)
	var upOrDown []int
	for _, c := range t.Changes {
		if c.Path == "(node)" {
			upOrDown = append(upOrDown, c.Node)
			fmt.Fprintf(out, "  n%d is %s\n", c.Node, cmp.Or(c.New, "up, with a new state"))
		}
	}
	for _, c := range r.Changes(t) {
		if slices.Contains(upOrDown, c.Node) {
			continue // the whole state appears or disappears
		}
		fmt.Fprintf(out, "  %s.%s  %s -> %s\n", r.Node(c.Node), c.Path, cmp.Or(c.Old, "none"), cmp.Or(c.New, "none"))
	}
	if f := r.Found(n); f != nil {
		fmt.Fprintf(out, "  %s\n", history.Violation(f))
	} else if r.Passes != "" && n == r.Len() {
		fmt.Fprintf(out, "  %s\n", r.Passes)
	}
	if s.ends(r) && n == r.Len() {
		fmt.Fprintf(out, "  then: %s\n", textfmt.FirstLine(s.cfg.End))
	}
	return nil
}

func liveWord(r *history.Run, n int) string {
	if r.Step(n).Live {
		return "  (live)"
	}
	return ""
}

// toCritical moves to the critical step, which is known.
func (s *Session) toCritical(out *bytes.Buffer) error {
	if r := s.run; r.Why != "" {
		fmt.Fprintf(out, "step %d is critical: %s\n", r.Critical, r.Why)
	}
	return s.to(s.run.Critical, out)
}

func goCritical(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error {
	r := s.run
	if len(args) > 0 && args[0] != "again" || len(args) > 1 {
		return cmdline.Usagef("%q?", strings.Join(args, " "))
	}
	if r.Critical > 0 && len(args) == 0 {
		return s.toCritical(out)
	}
	if f, n := r.FirstFound(); f != nil {
		fmt.Fprintf(out, "no step is critical: only a run that cannot recover has a critical transition, and step %d of this one is a %s\n",
			n, history.Violation(f))
		return nil
	}
	if s.cfg.End != "" { // walks may reach the same step and never return
		fmt.Fprintf(out, "no step is critical: %s\n", textfmt.FirstLine(s.cfg.End))
		return nil
	}
	path := r.Executed().Cursor.Path()
	res, err := critical.Find(ctx, critical.Config{System: *s.sys, Path: path, Seed: s.cfg.Header.Seed, HandlerLimit: time.Second})
	if err != nil {
		return err
	}
	why := "the critical transition lies too late in the run to tell; make the run longer with \"walk\""
	switch res.Case {
	case critical.Recovered:
		why = "no step is critical: the run is not dead, walks from its end reach a live state"
	case critical.DeadFromStart:
		why = "no step is critical: no walk reaches a live state, from the first indeterminate step on; the cause lies before the run"
	}
	if res.Case != critical.Located {
		fmt.Fprintln(out, why)
		return nil
	}
	r.Critical, r.Why = res.Step, probed(&res.Transition)
	fmt.Fprintf(out, "step %d is critical: %s\n", r.Critical, r.Why)
	if _, err := s.named("live"); err != nil && res.Live != nil {
		live, err := history.New(s.sys, "live", res.Live)
		if err != nil {
			return err
		}
		s.addPassing(live)
		fmt.Fprintf(out, "the nearest run that recovered is \"live\", of %d steps; the first %d are the same\n", live.Len(), live.Common)
		if f, _ := live.FirstFound(); f != nil {
			fmt.Fprintf(out, "it itself has a %s\n", history.Violation(f))
		}
	}
	return s.to(res.Step, out)
}
