package mdb

import (
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/mdb/internal/cmdline"
	"github.com/macemc/macemc/sim"
)

// fieldTest finds steps after which a field satisfies a condition that it did not satisfy before.
func (s *Session) fieldTest(field string, words []string) (*test, error) {
	sel, err := s.selector(field)
	if err != nil {
		return nil, err
	}
	cond, err := cmdline.Condition(words)
	if err != nil {
		return nil, err
	}
	seen := false
	values := make([][]diff.Field, s.sys.Nodes) // selected values, by node
	r := s.run
	return &test{Test: history.Test{
		First: func(n int) {
			for id := range values {
				values[id] = sel.fields(r, n, id)
				seen = seen || len(values[id]) > 0
			}
		},
		World: func(n int, _ kernel.World) bool {
			hit := false
			for _, id := range r.Touched(n) {
				if id < 0 || !sel.node(int(id)) {
					continue
				}
				old := values[id]
				values[id] = sel.fields(r, n, int(id))
				seen = seen || len(values[id]) > 0
				for _, c := range diff.Between(old, values[id]) {
					hit = hit || cond == nil || c.New != "" && cond(c.New) && (c.Old == "" || !cond(c.Old))
				}
			}
			return hit
		},
	}, known: func() bool { return seen || s.has(sel) }}, nil
}

// has reports whether some node has a selected field in the first, the last or the current state.
func (s *Session) has(sel selector) bool {
	for _, n := range []int{s.run.At, 0, s.run.Len()} {
		for id := range s.sys.Nodes {
			if len(sel.fields(s.run, n, id)) > 0 {
				return true
			}
		}
	}
	return false
}

// noField returns the error for a field that no node has. The error suggests similar names.
func (s *Session) noField(word string) error {
	known := s.fieldWords()
	node, _, ok := strings.Cut(word, ".")
	ok = ok && s.run.IsNode(node)
	known = slices.DeleteFunc(known, func(w string) bool {
		of, _, dotted := strings.Cut(w, ".")
		if dotted = dotted && s.run.IsNode(of); ok {
			return of != node
		}
		return dotted
	})
	var top []string // top-level names
	for _, w := range known {
		if name, _, _ := strings.Cut(w, "["); !slices.Contains(top, name) {
			top = append(top, name)
		}
	}
	return textfmt.Unknown("no state that was looked at has a field", word, top)
}

// selector selects fields of node states.
type selector struct {
	only int // the only node; -1 means all nodes
	path string
}

// selector parses a selector such as n2.Parent, or Parent.
func (s *Session) selector(word string) (selector, error) {
	sel := selector{-1, word}
	if node, path, ok := strings.Cut(word, "."); ok && s.run.IsNode(node) {
		if id, err := s.nodeID(node); err == nil {
			sel = selector{id, path}
		}
	}
	if sel.path == "" {
		return sel, cmdline.Usagef("%q names no field", word)
	}
	return sel, nil
}

func (f selector) node(id int) bool { return f.only < 0 || f.only == id }

// fields returns the selected fields of a node after step n of a run. It returns none if that state cannot be reached.
func (f selector) fields(r *history.Run, n, id int) []diff.Field {
	if !f.node(id) {
		return nil
	}
	all, err := r.Fields(n, sim.NodeID(id))
	if err != nil {
		return nil
	}
	return only(all, f.matches)
}

// matches reports whether a path is the selector's path or below it, possibly after a prefix of path elements.
func (f selector) matches(path string) bool {
	for rest := path; ; {
		if after, ok := strings.CutPrefix(rest, f.path); ok && (after == "" || strings.ContainsRune(".[(", rune(after[0]))) {
			return true
		}
		i := strings.IndexByte(rest, '.')
		if i < 0 || rest[0] == '(' {
			// The brackets of a timer or of a disk entry are optional.
			inner, want := strings.Trim(path, "()"), strings.Trim(f.path, "()")
			return path[0] == '(' && (inner == want || strings.HasPrefix(inner, want+"{"))
		}
		rest = rest[i+1:]
	}
}
