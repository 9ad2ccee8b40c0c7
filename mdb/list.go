package mdb

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/mdb/internal/cmdline"
)

// mostPlaces is the maximum number of steps that "steps" lists with their source positions, which takes a description of each step.
const mostPlaces = 1000

// list shows steps.
func list(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	const around, most = 10, 60
	r := s.run
	var (
		bounds []int
		node   = -1
		kind   = ""
		re     *regexp.Regexp
		each   bool
		err    error
	)
	for _, a := range args {
		switch {
		case a == "-v":
			each = true
		case strings.HasPrefix(a, "kind="):
			kind = strings.TrimPrefix(a, "kind=")
			if r.Whole != nil {
				return cmdline.Usagef("the steps of a test have no kinds; /REGEXP/ selects steps by what they do, and where")
			}
			if _, ok := eventkind.Parse(kind); !ok {
				return cmdline.Usagef("no kind of event is named %q", kind)
			}
		case s.isNode(a):
			if node, err = s.nodeID(a); err != nil {
				return err
			}
		case a == "." && s.node >= 0:
			node = s.node
		case strings.HasPrefix(a, "/"):
			if re, err = cmdline.Pattern(a); err != nil {
				return err
			}
		default:
			n, err := strconv.Atoi(a)
			if len(bounds) == 1 && err == nil && n > r.Len() {
				n = r.Len()
			} else if n, err = s.place(a); err != nil {
				return err
			}
			bounds = append(bounds, n)
		}
	}
	filtered := node >= 0 || kind != "" || re != nil
	from, to := 1, r.Len()
	switch {
	case len(bounds) > 2:
		return cmdline.Usagef("more than two steps")
	case len(bounds) == 2:
		from, to = max(0, bounds[0]), bounds[1]
	case len(bounds) == 1:
		from = bounds[0]
		if !filtered {
			to = min(to, from+2*around)
		}
	case !filtered:
		from, to = max(0, r.At-around), min(to, r.At+around)
	}
	var shown []int
	more := 0
	for n := from; n <= to; n++ {
		info := r.Step(n)
		if filtered && (n == 0 || node >= 0 && !s.touches(n, node) || kind != "" && info.Ev.Kind.String() != kind ||
			re != nil && !matchesStep(re, info)) {
			continue
		}
		if len(shown) == most && len(bounds) < 2 {
			more++
			continue
		}
		shown = append(shown, n)
	}
	folds, err := s.folds(shown, each)
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

// folds returns the ticks among listed steps, which ascend. The current step is in no fold. With each, there are none.
func (s *Session) folds(steps []int, each bool) (folds []eventgraph.Fold, err error) {
	r := s.run
	if each || r.Whole != nil {
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
	text := r.Beginning()
	if n > 0 {
		text = r.Step(n).String()
	}
	if source != "" {
		text += "  [" + source + "]"
	}
	return fmt.Sprintf("%s%*d  %s", marks, max(3, len(fmt.Sprint(r.Len()))), n, text)
}
