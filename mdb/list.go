package mdb

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/mdb/internal/cmdline"
)

// mostPlaces is the maximum number of steps that "steps" lists with their source positions, which takes a description of each step.
const mostPlaces = 1000

// selection describes the steps that a command lists.
type selection struct {
	bounds []int // the first and the last step, as far as they are given
	node   int   // negative means any
	kind   string
	re     *regexp.Regexp
	each   bool // without folds
}

// parseSelection parses the arguments of a command that lists steps.
func parseSelection(s *Session, args []string) (x selection, err error) {
	x.node = -1
	for _, a := range args {
		switch {
		case a == "-v":
			x.each = true
		case strings.HasPrefix(a, "kind="):
			x.kind = strings.TrimPrefix(a, "kind=")
			if _, ok := eventkind.Parse(x.kind); !ok {
				return x, cmdline.Usagef("no kind of event is named %q", x.kind)
			}
		case s.run.IsNode(a):
			x.node, err = s.nodeID(a)
		case a == "." && s.node >= 0:
			x.node = s.node
		case strings.HasPrefix(a, "/"):
			x.re, err = cmdline.Pattern(a)
		default:
			n, number := strconv.Atoi(a)
			if len(x.bounds) == 1 && number == nil && n > s.run.Len() {
				n = s.run.Len()
			} else {
				n, err = s.place(a)
			}
			x.bounds = append(x.bounds, n)
		}
		if err != nil {
			return x, err
		}
	}
	if len(x.bounds) > 2 {
		return x, cmdline.Usagef("more than two steps")
	}
	return x, nil
}

// filters reports whether the selection leaves steps out.
func (x *selection) filters() bool { return x.node >= 0 || x.kind != "" || x.re != nil }

// span returns the first and the last step among which the selection is made.
func (x *selection) span(r *history.Run) (from, to int) {
	const around = 10
	switch {
	case len(x.bounds) == 2:
		return max(0, x.bounds[0]), x.bounds[1]
	case len(x.bounds) == 1 && x.filters():
		return x.bounds[0], r.Len()
	case len(x.bounds) == 1:
		return x.bounds[0], min(r.Len(), x.bounds[0]+2*around)
	case x.filters():
		return 1, r.Len()
	}
	return max(0, r.At-around), min(r.Len(), r.At+around)
}

// selected returns the selected steps, and how many more there are.
func selected(s *Session, x *selection) (shown []int, more int) {
	const most = 60
	from, to := x.span(s.run)
	for n := from; n <= to; n++ {
		info := s.run.Step(n)
		if x.filters() && (n == 0 || x.node >= 0 && !s.touches(n, x.node) || x.kind != "" && info.Ev.Kind.String() != x.kind ||
			x.re != nil && !matchesStep(x.re, info)) {
			continue
		}
		if len(shown) == most && len(x.bounds) < 2 {
			more++
			continue
		}
		shown = append(shown, n)
	}
	return shown, more
}

// list shows steps.
func list(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	r := s.run
	x, err := parseSelection(s, args)
	if err != nil {
		return err
	}
	shown, more := selected(s, &x)
	folds, err := s.folds(shown, x.each)
	if err != nil {
		return err
	}
	for _, n := range shown {
		for len(folds) > 0 && folds[0].Last < n {
			folds = folds[1:]
		}
		if len(folds) == 0 || n < folds[0].First {
			source := ""
			if len(shown) <= mostPlaces {
				t, err := r.Trace(n)
				if err != nil {
					return err
				}
				source = t.Source
			}
			fmt.Fprintln(out, s.listLine(r, n, source))
		} else if f := folds[0]; n == f.First {
			fmt.Fprintf(out, "   %d-%d  %s: %s\n", f.First, f.Last, r.Node(f.Node), f.Text)
		}
	}
	if more > 0 {
		fmt.Fprintf(out, "and %d more; say FROM and TO to see them\n", more)
	}
	if len(shown) == 0 {
		fmt.Fprintln(out, "no step matches")
	}
	return nil
}

// listOperations shows steps of a test.
func listOperations(s *Session, ctx context.Context, args []string, out *bytes.Buffer) error {
	if slices.ContainsFunc(args, func(a string) bool { return strings.HasPrefix(a, "kind=") }) {
		return cmdline.Usagef("the steps of a test have no kinds; /REGEXP/ selects steps by what they do, and where")
	}
	return list(s, ctx, args, out)
}

// folds returns the ticks among listed steps, which ascend. The current step is in no fold. With each, there are none.
func (s *Session) folds(steps []int, each bool) (folds []eventgraph.Fold, err error) {
	r := s.run
	if each {
		return nil, nil
	}
	timer := func(n int) bool { return n > 0 && r.Step(n).Ev.Kind == eventkind.FireTimer }
	for i, n := 0, 1; i < len(steps); i += n {
		from := steps[i]
		for n = 1; i+n < len(steps) && steps[i+n] == from+n && timer(from) && timer(from+n) && r.Step(from).Ev.Node == r.Step(from+n).Ev.Node; {
			n++
		}
		if n == 1 {
			continue
		}
		g, _, err := r.Graph(from, from, from+n-1, 0)
		if err != nil {
			return nil, err
		}
		g.Named = []int{r.At}
		folds = append(folds, g.Folds()...)
	}
	return folds, nil
}

// listLine formats step n as one line, with the position of the code that handled it unless that is empty.
func (s *Session) listLine(r *history.Run, n int, source string) string {
	marks := []byte("   ")
	if n == r.At {
		marks[0] = '@'
	}
	if n == r.Critical && n > 0 {
		marks[1] = '>'
	} else if r.InRound(n) {
		marks[1] = 'o'
	}
	if r.Step(n).Live {
		marks[2] = '+'
	}
	text := r.Step(n).String()
	if source != "" {
		text += "  [" + source + "]"
	}
	return fmt.Sprintf("%s%*d  %s", marks, max(3, len(fmt.Sprint(r.Len()))), n, text)
}
