package eventgraph

import (
	"maps"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/replay"
)

// nodeState is the state of a node: the last change of each field that exists, by path.
type nodeState map[string]replay.NodeChange

// follow applies changes to the states of nodes.
func (b *builder) follow(changes []replay.NodeChange) {
	for _, c := range changes {
		if c.New == "" {
			delete(b.states[c.Node], c.Path)
			continue
		}
		b.states[c.Node][c.Path] = c
	}
}

// restart applies the changes of a step, and sets the aftermath of a boot after a crash.
func (b *builder) restart(e *Event) {
	if e.Step == 0 {
		return
	}
	for id := range b.states {
		if e.takesNodeDown(id) {
			b.crashed[id] = maps.Clone(b.states[id])
		}
	}
	b.follow(e.Changes)
	if e.kind != eventkind.Boot || e.takesDown() || e.Node < 0 || b.crashed[e.Node] == nil {
		return
	}
	was, is := b.crashed[e.Node], b.states[e.Node]
	b.crashed[e.Node] = nil
	var lost []replay.NodeChange
	for _, path := range slices.Sorted(maps.Keys(was)) {
		if c, now := was[path], is[path]; c.New != now.New && !c.Minor() && c.Part.Kind != replay.Write {
			c.Old, c.New = c.New, now.New
			lost = append(lost, c)
		}
	}
	if text := strings.Join(Digest(lost, e.Node, mostChanges), ", "); text != "" {
		e.Aftermath = append(e.Aftermath, "lost or changed: "+text)
	}
}
