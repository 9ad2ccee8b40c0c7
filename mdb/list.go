package mdb

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/macemc/macemc/mdb/internal/cmdline"
	"github.com/macemc/macemc/mdb/internal/history"
	"github.com/macemc/macemc/sim"
)

// list shows steps.
func list(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	const around, most = 10, 60
	r := s.run
	var (
		bounds []int
		node   = -1
		kind   = ""
		re     *regexp.Regexp
	)
	for _, a := range args {
		switch {
		case strings.HasPrefix(a, "kind="):
			kind = strings.TrimPrefix(a, "kind=")
			if r.Whole != nil {
				return cmdline.Usagef("the steps of a test have no kinds; /REGEXP/ selects steps by what they do, and where")
			}
			if _, ok := sim.ParseEventKind(kind); !ok {
				return cmdline.Usagef("there is no kind of event %q", kind)
			}
		case s.isNode(a):
			n, err := s.nodeID(a)
			if err != nil {
				return err
			}
			node = n
		case a == "." && s.node >= 0:
			node = s.node
		case strings.HasPrefix(a, "/"):
			p, err := cmdline.Pattern(a)
			if err != nil {
				return err
			}
			re = p
		default:
			n, err := s.place(a)
			if err != nil {
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
	shown, more := 0, 0
	for n := from; n <= to; n++ {
		info := r.Step(n)
		if filtered && (n == 0 || node >= 0 && !s.touches(n, node) || kind != "" && info.Ev.Kind.String() != kind ||
			re != nil && !matchesStep(re, info)) {
			continue
		}
		if shown == most && len(bounds) < 2 {
			more++
			continue
		}
		shown++
		fmt.Fprintln(out, s.listLine(r, n))
	}
	if more > 0 {
		fmt.Fprintf(out, "and %d more; say FROM and TO to see them\n", more)
	}
	if shown == 0 {
		fmt.Fprintln(out, "no step matches")
	}
	return nil
}

// listLine formats step n as one line.
func (s *Session) listLine(r *history.Run, n int) string {
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
	return fmt.Sprintf("%s%*d  %s", marks, max(3, len(fmt.Sprint(r.Len()))), n, text)
}
