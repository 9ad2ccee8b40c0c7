package eventgraph

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
)

// digest describes what the event changed, without timers and counters, in about most parts: "Seen 1->2",
// "peers[1].out: sent 0->1, flying 0->1", "packets[0] added". Changes by a boot or a crash are not listed, since
// these change everything. Changes of what goroutines wait for are listed only if there are no others.
func (e *Event) digest(most int) []string {
	if e.kind == eventkind.Boot || e.takesDown() {
		return nil
	}
	return Digest(e.Changes, e.Node, most)
}

// narrow is digest for narrow columns: it keeps the end of long paths.
func (e *Event) narrow(most int) []string {
	parts := e.digest(most)
	for i, p := range parts {
		path, rest, _ := strings.Cut(p, " ")
		if cut := path[max(0, len(path)-narrowPath):]; len(path) > narrowPath {
			if at := strings.IndexByte(cut, '.'); at >= 0 {
				parts[i] = "…" + cut[at+1:] + " " + rest
			}
		}
	}
	return parts
}

const narrowPath = 22

// Digest returns a short list of changes, without timers and counters. An element that appears or vanishes as a
// whole counts once, and changes below the same field name it once. Nodes other than own are named. The rest beyond
// about most parts is counted.
func Digest(changes []replay.NodeChange, own, most int) []string {
	var kept []replay.NodeChange
	for _, c := range replay.Readable(changes) {
		if !c.Bookkeeping() && c.Part.Kind != replay.Status && c.Part.Kind != replay.Position && (!c.Waits() || c.Short() != "") {
			kept = append(kept, c)
		}
	}
	if others := slices.DeleteFunc(slices.Clone(kept), func(c replay.NodeChange) bool { return c.Waits() }); len(others) > 0 {
		kept = others
	}
	kept, folded := fold(kept, own)
	var parts []string
	count, left := 0, 0
	for i := 0; i < len(kept); {
		c := &kept[i]
		name := c.Path
		if c.Node != own {
			name = fmt.Sprintf("n%d.%s", c.Node, c.Path)
		}
		text, n := "", 1
		if n = whole(kept[i:]); n > 1 {
			what := " added"
			if c.New == "" {
				what = " removed"
			}
			text = name[:len(name)-len(c.Path)] + element(c.Path) + what
		} else {
			n = 1
			short := replay.NodeChange{Path: name, Old: c.Old, New: c.New, Part: c.Part}
			text = short.Short()
			if p := parent(c.Path); len(p) >= 8 {
				for i+n < len(kept) && kept[i+n].Node == c.Node && parent(kept[i+n].Path) == p && whole(kept[i+n:]) < 2 && n < most {
					next := kept[i+n]
					next.Path = strings.TrimPrefix(next.Path, p+".")
					text += ", " + next.Short()
					n++
				}
				if n > 1 {
					head := name[:len(name)-len(c.Path)] + p
					text = head + ":" + " " + strings.TrimPrefix(text, head+".")
				}
			}
		}
		if count < most {
			parts = append(parts, text)
		} else {
			left += n
		}
		count += n
		i += n
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", left))
	}
	return append(parts, folded...)
}

// mostInside is the maximum number of listed changes inside one value of a foreign type. More are counted.
const mostInside = 2

// fold replaces the changes inside values of foreign types by their number, if there are many.
func fold(changes []replay.NodeChange, own int) (kept []replay.NodeChange, folded []string) {
	inside := map[place]int{}
	for _, c := range changes {
		if c.Inside != "" {
			inside[place{c.Node, c.Inside}]++
		}
	}
	for _, c := range changes {
		at := place{c.Node, c.Inside}
		n := inside[at]
		if n <= mostInside {
			if n >= 0 {
				kept = append(kept, c)
			}
			continue
		}
		inside[at] = -1 // listed
		name := c.Inside
		if c.Node != own {
			name = fmt.Sprintf("n%d.%s", c.Node, name)
		}
		folded = append(folded, fmt.Sprintf("%s: %d internal changes", name, n))
	}
	return kept, folded
}

// whole returns the number of leading changes that are the fields of one element that appears or vanishes.
func whole(changes []replay.NodeChange) int {
	first := &changes[0]
	e := element(first.Path)
	if e == "" || (first.Old == "") == (first.New == "") {
		return 1
	}
	n := 1
	for n < len(changes) {
		c := &changes[n]
		if c.Node != first.Node || (c.Old == "") != (first.Old == "") || (c.New == "") != (first.New == "") ||
			!strings.HasPrefix(c.Path, e) {
			break
		}
		n++
	}
	return n
}

// element returns a path up to its last index, or "" if it has none.
func element(path string) string { return path[:strings.LastIndexByte(path, ']')+1] }

// parent returns a path before its last field, or "" if it has only one field.
func parent(path string) string { return path[:max(0, strings.LastIndexByte(path, '.'))] }

// errorLine returns the finding in one line: all its lines, or only the first one if they are long.
func (e *Event) errorLine() string {
	const most = 160
	if all := strings.ReplaceAll(strings.TrimSpace(e.Error), "\n", "; "); len(all) <= most {
		return all
	}
	return textfmt.FirstLine(e.Error)
}

// detail lists the choices, nested calls and effects of a step.
func (e *Event) detail() []string {
	var lines []string
	for _, c := range e.Choices {
		if replay.Meaningful(c) {
			lines = append(lines, "choice "+replay.Decision(c))
		}
	}
	for i := range e.effects {
		f := &e.effects[i]
		text := strings.Repeat("  ", f.Depth) + f.Phrase()
		if !f.Applied {
			text += " (did not happen)"
		}
		if f.From != "" {
			text += "  " + path.Base(f.From)
		}
		lines = append(lines, text)
	}
	if e.kind == eventkind.Boot {
		lines = append(lines, e.Aftermath...)
	}
	if race := e.raceText(); race != "" {
		lines = append(lines, race)
	}
	if e.Round != "" {
		lines = append(lines, e.Round)
	}
	return lines
}
