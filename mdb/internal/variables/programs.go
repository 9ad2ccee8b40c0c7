package variables

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/inspect"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/mdb/internal/cmdline"
	"github.com/macemc/macemc/sim"
)

// nodeHere returns the node whose program's variables are shown.
func (s *Session) nodeHere() int {
	switch {
	case s.Scope.node > 0:
		return s.Scope.node - 1
	case s.Node >= 0:
		return s.Node
	case s.Run.At > 0:
		return int(s.Run.Step(s.Run.At).Ev.Node)
	}
	return 0
}

// ofNode returns the selected goroutine of the selected node's program, as in requests.
func (s *Session) ofNode(ctx context.Context) (int, error) {
	node, n := s.nodeHere(), s.Scope.goroutine
	if n == 0 {
		list, err := s.ofProgram(ctx, node)
		if err != nil {
			return 0, err
		}
		n = s.defaultGoroutine(node, list)
	}
	return inspect.OfNode(node, n), nil
}

// ofProgram returns the goroutines of a node's program, with their numbers in it.
func (s *Session) ofProgram(ctx context.Context, node int) ([]inspect.Goroutine, error) {
	reply, err := s.inspect(ctx, inspect.Request{Action: inspect.Goroutines})
	if err != nil {
		return nil, err
	}
	var list []inspect.Goroutine
	for _, g := range reply.Goroutines {
		if at, n := inspect.NodeOf(g.Number); at == node {
			list = append(list, inspect.Goroutine{Number: n, At: g.At})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no goroutines here", s.Run.Node(node))
	}
	return list, nil
}

// defaultGoroutine returns the goroutine that the schedule holds back, or else the first one that executes code outside the standard
// library.
func (s *Session) defaultGoroutine(node int, list []inspect.Goroutine) int {
	fields, _ := s.Run.Fields(s.Run.At, sim.NodeID(node)) // without them, none is known to be held back
	for _, f := range fields {
		if f.Part.Kind != diff.OfProgram || f.Part.Name != simext.GoroutinesField {
			continue
		}
		for text := range strings.SplitSeq(f.Value, simext.BetweenGoroutines) {
			var n int
			if _, err := fmt.Sscanf(text, "goroutine %d"+simext.Pauses, &n); err == nil && n > 0 {
				return n
			}
		}
	}
	own := slices.IndexFunc(list, func(g inspect.Goroutine) bool { return g.Own() })
	return list[max(own, 0)].Number
}

// selectOfNode lists the goroutines of a node's program, or selects one.
func (s *Session) selectOfNode(ctx context.Context, args []string, out *bytes.Buffer) error {
	before := *s.Scope
	for _, word := range args {
		if s.IsNode(word) {
			node, err := s.NodeID(word)
			if err != nil {
				return err
			}
			*s.Scope = Scope{node: node + 1}
			continue
		}
		n, err := strconv.Atoi(strings.TrimPrefix(word, "g"))
		if err != nil || n < 1 {
			return cmdline.Usagef("%q is neither a node, such as n1, nor a goroutine, such as g3", word)
		}
		s.Scope.goroutine, s.Scope.frame = n, 0
	}
	node := s.nodeHere()
	list, err := s.ofProgram(ctx, node)
	there := func(g inspect.Goroutine) bool { return g.Number == s.Scope.goroutine }
	if err == nil && s.Scope.goroutine > 0 && !slices.ContainsFunc(list, there) {
		err = fmt.Errorf("%s has no goroutine g%d here", s.Run.Node(node), s.Scope.goroutine)
	}
	if err != nil {
		*s.Scope = before
		return err
	}
	at := s.Scope.goroutine
	if at == 0 {
		at = s.defaultGoroutine(node, list)
	}
	for _, g := range list {
		mark := " "
		if g.Number == at {
			mark = "*"
		} else if s.Scope.goroutine > 0 {
			continue
		}
		fmt.Fprintf(out, "%s %s g%d in %s\n", mark, s.Run.Node(node), g.Number, frameText(g.At))
	}
	return nil
}
