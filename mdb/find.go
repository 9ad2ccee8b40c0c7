package mdb

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/mdb/internal/cmdline"
)

// conditions are the first words of "find" that need no name of a node or field. The steps of a test have only the first one.
var conditions = []string{"event", "message", "choice", "live", "dead", "property"}

func findCommands() []command {
	const what = `find event REGEXP       a step whose event matches
find message REGEXP     a step that sends, receives or loses a matching message
find choice [REGEXP]    a step with a choice whose label matches
find live | dead        a step after which the state becomes live, or not live
find property REGEXP    a step after which such a property starts or stops holding
find NODE               a step of a node, such as n2
find FIELD [CONDITION]  a step after which a field of the state starts to satisfy a condition

FIELD is a path such as n2.Parent, or Parent for all nodes. It includes all fields below it. A timer is
n0.(timer resend). The schedule of a test has only events, goroutines and FIELDs, such as g2.status. CONDITION is
"changes" (the default), or one of == != < <= > >= with a value, or ~ with a regular expression. A value
such as joined(2) is matched by joined and by 2.`
	words := func(s *Session) []string { return slices.Concat(s.conditions, s.fieldWords()) }
	return []command{
		{
			name: "find", aliases: []string{"f"}, group: finding, args: "WHAT", about: "go to the next step that matches", more: what,
			do: func(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error {
				return s.find(ctx, args, 1, out)
			},
			words: words,
		},
		{
			name: "rfind", aliases: []string{"r"}, group: finding, args: "WHAT", about: "go to the previous step that matches",
			more: strings.ReplaceAll(what, "find ", "rfind "),
			do: func(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error {
				return s.find(ctx, args, -1, out)
			},
			words: words,
		},
		{
			name: "again", aliases: []string{"a"}, group: finding, about: "repeat the last find or rfind",
			do: func(s *Session, ctx context.Context, _ []string, out *bytes.Buffer) error {
				if s.last == nil {
					return cmdline.Usagef("nothing was searched for yet")
				}
				return s.do(ctx, s.last, out)
			},
		},
		{
			name: "steps", aliases: []string{"ls"}, group: finding, args: "[FROM [TO]] [NODE] [kind=KIND] [/REGEXP/] [-v]",
			about: "list the steps around here, or all that match",
			more: "steps                  the steps around here\nsteps 10 40            steps 10 to 40\nsteps n2 kind=deliver  what node 2 receives\nsteps /Join/           events that match, by place in a test: /queue.go:1/\n" +
				"Timers of one node that change only clocks are one line; -v shows each of them.\n" +
				"Kinds are boot, action, timer, error, ready, deliver, internal, arrive, heal, crash, halt, lose, duplicate, break, partition.\n" +
				"In the list @ is the current step, > the critical transition, + a live state.\n" +
				"Lists of more than 1,000 steps have no source positions.",
			do: list, words: (*Session).nodeWords,
			test: variant{usage: "steps [FROM [TO]] [GOROUTINE] [/REGEXP/] [-v]", do: listOperations},
		},
	}
}

// find goes to the nearest matching step in a direction.
func (s *Session) find(ctx context.Context, args []string, direction int, out *bytes.Buffer) error {
	if len(args) == 0 {
		return cmdline.Usagef("find what?")
	}
	test, err := s.test(args)
	if err != nil {
		return err
	}
	name, where := "find", "after"
	if direction < 0 {
		name, where = "rfind", "before"
	}
	s.last = append([]string{name}, args...)
	n, err := test.Nearest(ctx, s.run, direction)
	if err != nil {
		return err
	}
	if n == 0 {
		if test.known != nil && !test.known() {
			return s.noField(args[0])
		}
		fmt.Fprintf(out, "no step %s step %d matches %s\n", where, s.run.At, strings.Join(args, " "))
		return nil
	}
	return s.to(n, out)
}

// test selects steps.
type test struct {
	history.Test
	known func() bool // after a failed search: whether the thing exists at all; nil means that it does
}

// selects returns the test of steps by their numbers.
func selects(step func(n int) bool) *test {
	return &test{Test: history.Test{Step: func(n int) (bool, error) { return step(n), nil }}}
}

func (s *Session) test(args []string) (*test, error) {
	r := s.run
	rest := args[1:]
	if slices.Contains(conditions, args[0]) && !slices.Contains(s.conditions, args[0]) {
		return nil, cmdline.Usagef("a recorded test has no %q; find event REGEXP, find GOROUTINE, or find FIELD [CONDITION]", args[0])
	}
	name := strings.Join(args, " ")
	if last := args[len(args)-1]; r.IsNode(name) && (name == last || name == r.NodeWord+" "+last) && !strings.Contains(name, ".") {
		node, err := s.nodeID(name)
		return selects(func(n int) bool { return s.touches(n, node) }), err
	}
	var re *regexp.Regexp
	switch args[0] {
	case "event", "message", "choice", "property":
		if len(rest) == 0 && args[0] != "choice" {
			return nil, cmdline.Usagef("a regular expression is missing")
		}
		var err error
		if re, err = cmdline.Pattern(rest...); err != nil {
			return nil, err
		}
	}
	switch args[0] {
	case "event":
		return selects(func(n int) bool { return matchesStep(re, r.Step(n)) }), nil
	case "message":
		return s.messageTest(re), nil
	case "choice":
		return &test{Test: history.Test{Step: func(n int) (bool, error) {
			if r.Step(n).Picks == 0 {
				return false, nil
			}
			t, err := r.Trace(n)
			matches := func(c stepinfo.Answer) bool { return replay.Notable(c) && re.MatchString(c.Label) }
			return err == nil && slices.ContainsFunc(t.Choices, matches), err
		}}}, nil
	case "live", "dead":
		if len(rest) > 0 {
			break
		}
		want := args[0] == "live"
		return selects(func(n int) bool { return r.Step(n).Live == want && r.Step(n-1).Live != want }), nil
	case "property":
		mask, some := uint64(0), false
		for i, p := range s.sys.Properties {
			if re.MatchString(p.Name) && i < 64 {
				mask, some = mask|1<<i, true
			}
		}
		if !some {
			return nil, fmt.Errorf("no property matches %s; \"properties\" lists them", strings.Join(rest, " "))
		}
		return selects(func(n int) bool { return (r.Step(n).Failing^r.Step(n-1).Failing)&mask != 0 }), nil
	}
	return s.fieldTest(args[0], rest)
}

func matchesStep(re *regexp.Regexp, s *history.Step) bool {
	return re.MatchString(s.Key) || re.MatchString(s.String())
}

// messageTest finds steps that send a matching message, or whose event concerns one.
func (s *Session) messageTest(re *regexp.Regexp) *test {
	r := s.run.Executed()
	return &test{Test: history.Test{World: func(n int, w kernel.World) bool {
		info := r.Step(n)
		if k := info.Ev.Kind; (k.OfMessage() || k == eventkind.TakeQuorum) && matchesStep(re, info) {
			return true
		}
		last := w.Last()
		for i := range last.Effects {
			if !last.Happened(i) {
				continue
			}
			f := &last.Effects[i]
			if !f.Kind.Carries() {
				continue
			}
			text, names := r.Texts(f.Msg.Body)
			if re.MatchString(text) || re.MatchString(replay.Brief(text)) || re.MatchString(names) {
				return true
			}
		}
		return false
	}}}
}
