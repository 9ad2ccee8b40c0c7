package statespace

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/internal/table/store"
	"github.com/macemc/macemc/sim"
)

// Growth is a list, map or queue that grew by more than [leastGrowth] elements during the exploration. Connections
// include those of rehearsed runs.
type Growth struct {
	Node     sim.NodeID `json:"node"`           // -1 for a connection, which is interned without its nodes
	What     string     `json:"what"`           // path of a field of the service, "inbox", or "a connection"
	Elements int        `json:"elements"`       // in the largest state of the node
	Type     string     `json:"type,omitempty"` // the most frequent one; empty if types are not known
	OfType   int        `json:"of_type,omitempty"`
}

const (
	leastGrowth = 20
	mostGrowths = 3 // maximum number returned
)

// Growths returns the components that grew most, the largest first. It compares, for each node, the states with the
// longest and the shortest encoding.
func (s *NodeConfigs) Growths() []Growth {
	var all []Growth
	add := func(node sim.NodeID, what string, before int, c collection) {
		if c.n-before > leastGrowth {
			kind, n := c.mostFrequent()
			all = append(all, Growth{node, what, c.n, kind, n})
		}
	}
	for i := range s.Tables {
		node := sim.NodeID(i)
		least, most, inbox := s.extremes(node)
		add(node, "inbox", 0, messageTypes(s.Engine, inbox))
		if most == nil || declared.Carries(most.State.Service()) { // describing the state of a program is expensive
			continue
		}
		before, after := collections(s.Engine.FieldsOf(node, least.State)), collections(s.Engine.FieldsOf(node, most.State))
		what, grown := "", 0
		for _, path := range slices.Sorted(maps.Keys(after)) {
			if n := after[path].n - before[path].n; n > grown {
				what, grown = path, n
			}
		}
		add(node, what, before[what].n, after[what])
	}
	var longest []uint32
	for id := range uint32(s.Engine.Conns.Queues.List.Len()) {
		if q := s.Engine.Conns.Queues.Of(id); len(q) > len(longest) {
			longest = q
		}
	}
	add(-1, "a connection", 0, messageTypes(s.Engine, longest))
	slices.SortStableFunc(all, func(a, b Growth) int { return cmp.Compare(b.Elements, a.Elements) })
	return all[:min(len(all), mostGrowths)]
}

// extremes returns the smallest and the largest local state of a node that a step reached (nil if there is none),
// and its longest inbox.
func (s *NodeConfigs) extremes(node sim.NodeID) (least, most *store.Local, inbox []uint32) {
	longest := uint32(0)
	for _, c := range s.Tables[node].List {
		if len(s.Engine.Inboxes.List[c.Inbox].Items) > len(s.Engine.Inboxes.List[longest].Items) {
			longest = c.Inbox
		}
		l := &s.Engine.Locals.List[c.Local]
		if l.Node != node || !l.State.Up() || l.Unreached() {
			continue
		}
		if least == nil || len(l.Encoding) < len(least.Encoding) {
			least = l
		}
		// The encoding of a slice depends on its capacity, so a later one may have more elements
		if most == nil || len(l.Encoding) >= len(most.Encoding) {
			most = l
		}
	}
	for _, it := range s.Engine.Inboxes.List[longest].Items {
		inbox = append(inbox, it.Msg)
	}
	return least, most, inbox
}

// collection counts the elements of a list, map or queue.
type collection struct {
	n     int
	last  string
	types map[string]int
}

func (c *collection) add(kind string) {
	c.n++
	if c.types == nil {
		c.types = map[string]int{}
	}
	c.types[kind]++
}

// mostFrequent returns the most frequent known type of element.
func (c collection) mostFrequent() (kind string, n int) {
	for _, k := range slices.Sorted(maps.Keys(c.types)) {
		if k != "" && c.types[k] > n {
			kind, n = k, c.types[k]
		}
	}
	return kind, n
}

func messageTypes(e *steptree.Engine, msgs []uint32) (c collection) {
	for _, msg := range msgs {
		name := ""
		if v := reflect.Indirect(reflect.ValueOf(e.Contents.List[msg].Body)); v.IsValid() {
			name = v.Type().Name()
		}
		c.add(name)
	}
	return c
}

// collections returns the indexed or keyed elements in fields, by path.
func collections(fields []diff.Field) map[string]collection {
	all := map[string]collection{}
	for _, f := range fields {
		if f.Part.Kind != diff.OfService || strings.HasPrefix(f.Path, "memory of ") { // not a field of the service
			continue
		}
		for end := 0; ; {
			before, rest, opened := strings.Cut(f.Path[end:], "[")
			elem, _, closed := strings.Cut(rest, "]")
			if !opened || !closed {
				break
			}
			path := f.Path[:end+len(before)]
			end = len(path) + len(elem) + len("[]")
			if c := all[path]; c.n == 0 || c.last != elem {
				c.last = elem
				c.add(elementType(f.Path[end:], f.Value))
				all[path] = c
			}
		}
	}
	return all
}

// elementType returns the type of an element behind an interface, or "" if unknown. Path is the part of its path
// behind the index.
func elementType(path, value string) string {
	if kind, ok := strings.CutPrefix(path, ".("); ok {
		kind, _, _ = strings.Cut(kind, ")")
		return strings.TrimLeft(kind, "*")
	}
	if kind, _, ok := strings.Cut(value, "{"); ok && path == "" && strings.HasSuffix(value, "}") {
		return strings.TrimLeft(kind, "&")
	}
	return ""
}
