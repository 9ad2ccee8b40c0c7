package eventgraph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/textfmt"
)

// Fold is a sequence of steps that all formats show as one line: consecutive timers of one node that change only
// clocks. A clock is a time, a duration, or a number that each of the steps advances by the same amount.
type Fold struct {
	First int    `json:"first"` // numbers of steps, both inclusive
	Last  int    `json:"last"`
	Node  int    `json:"node"`
	Text  string `json:"text"` // "33 s pass, 66 ticks", or "8 ticks (election), quiet 0->8"
}

// Folds returns the folds of the whole run, ascending. A fold contains at least two steps. It contains no step that is
// critical, named, part of a cycle or read by a violated property, that has the finding, or after which the value of a
// property differs.
func (g *Graph) Folds() []Fold {
	var folds []Fold
	for from := 1; from < len(g.Events); {
		to := g.ticksFrom(from)
		if to > from {
			folds = append(folds, g.fold(from, to))
		}
		from = max(from, to) + 1
	}
	return folds
}

// ticksFrom returns the index of the last event of the sequence of ticks that begins at an event, or less than from
// if that event is not a tick.
func (g *Graph) ticksFrom(from int) int {
	first, ok := g.tick(from)
	if !ok {
		return from - 1
	}
	to := from
	for to+1 < len(g.Events) && g.Events[to+1].Node == g.Events[from].Node {
		next, ok := g.tick(to + 1)
		if !ok || !slices.EqualFunc(counters(first), counters(next), func(a, b advance) bool { return a.path == b.path && a.by == b.by }) {
			break
		}
		to++
	}
	return to
}

// fold returns the fold of the events with the indices from..to.
func (g *Graph) fold(from, to int) Fold {
	var all []advance   // from first to last
	var timers []string // their names
	for i := from; i <= to; i++ {
		if what := g.Events[i].What; !slices.Contains(timers, what) {
			timers = append(timers, what)
		}
		clocks, _ := g.tick(i)
		for _, c := range clocks {
			at := slices.IndexFunc(all, func(a advance) bool { return a.path == c.path })
			if at < 0 {
				all = append(all, c)
				continue
			}
			all[at].to, all[at].by = c.to, all[at].by+c.by
		}
	}
	// Clocks of one node show the same time, so the first one stands for all that advance equally.
	var passed time.Duration
	var rest []string
	for _, c := range all {
		if c.time && passed == 0 {
			passed = time.Duration(c.by)
		}
		if !c.time || time.Duration(c.by) != passed {
			rest = append(rest, fmt.Sprintf("%s %s->%s", c.path, c.from, c.to))
		}
	}
	const most = 3
	ticks := textfmt.Plural(to-from+1, "tick")
	if passed > 0 {
		ticks = duration(passed) + ", " + ticks
	} else {
		ticks += " (" + strings.Join(textfmt.Few(timers, most), ", ") + ")"
	}
	parts := append([]string{ticks}, textfmt.Few(rest, most)...)
	return Fold{g.Events[from].Step, g.Events[to].Step, g.Events[from].Node, strings.Join(parts, ", ")}
}

// duration describes a passing time: "33 s pass".
func duration(d time.Duration) string {
	n, unit := float64(d)/float64(time.Millisecond), "ms"
	if d >= time.Second {
		n, unit = d.Seconds(), "s"
	}
	verb := "pass"
	if n == 1 {
		verb = "passes"
	}
	return fmt.Sprintf("%s %s %s", strconv.FormatFloat(n, 'f', -1, 64), unit, verb)
}

// line describes a fold with its steps: "steps 12-77, n1: 33 s pass, 66 ticks".
func (g *Graph) line(f *Fold) string {
	return fmt.Sprintf("steps %d-%d, %s: %s", f.First, f.Last, g.lane(f.Node), f.Text)
}

// advance is the change of a clock.
type advance struct {
	path, from, to string
	by             int64
	time           bool // by is in nanoseconds
}

// counters returns the advances of clocks that show no time.
func counters(all []advance) []advance {
	return slices.DeleteFunc(slices.Clone(all), func(a advance) bool { return a.time })
}

// tick returns the clocks that an event advances, and whether it is the firing of a timer that does nothing else. The
// timers that are armed are the same before and after it.
func (g *Graph) tick(i int) (clocks []advance, ok bool) {
	e := &g.Events[i]
	if e.kind != eventkind.FireTimer || e.Crashed || e.Error != "" || g.inRound(e.Step) || e.Step == g.Critical && e.Step > 0 ||
		e.turn != "" || len(e.Broke)+len(e.Mended)+len(e.Sent)+len(e.Gone) > 0 ||
		slices.Contains(g.Named, e.Step) || slices.Contains(g.Read, e.Step) {
		return nil, false
	}
	if slices.ContainsFunc(e.Choices, replay.Meaningful) || slices.ContainsFunc(e.effects, notable) {
		return nil, false
	}
	for _, c := range e.Changes {
		a, ok := advanceOf(&c)
		switch {
		case c.Old == "" || c.New == "" || c.Node != e.Node:
			return nil, false
		case c.Part.Kind == replay.Timer:
		case c.Part != replay.Part{} || !ok:
			return nil, false
		default:
			clocks = append(clocks, a)
		}
	}
	return clocks, true
}

// notable reports whether an effect is more than the setting of a timer or a call inside the node.
func notable(f replay.TraceEffect) bool {
	return !f.IsCall() && f.Kind != stepinfo.SetTimerEffect.String() && f.Kind != stepinfo.StopTimerEffect.String()
}

// advanceOf parses the change of a clock. ok is false if the field is not a clock or decreases.
func advanceOf(c *replay.NodeChange) (a advance, ok bool) {
	a = advance{path: c.Path, from: c.Old, to: c.New}
	if from, err := strconv.ParseInt(c.Old, 10, 64); err == nil {
		to, err := strconv.ParseInt(c.New, 10, 64)
		a.by = to - from
		return a, err == nil && to > from && a.by > 0
	}
	a.time = true
	if from, err := time.ParseDuration(c.Old); err == nil {
		to, err := time.ParseDuration(c.New)
		a.by = int64(to - from)
		return a, err == nil && to > from && a.by > 0
	}
	from, ok1 := instant(c.Old)
	to, ok2 := instant(c.New)
	a.by = int64(to.Sub(from))
	return a, ok1 && ok2 && a.by > 0
}

// instant parses the text of a field of type time.Time, which has the name of a location behind it.
func instant(text string) (time.Time, bool) {
	text, _, _ = strings.Cut(strings.Trim(text, `"`), "[")
	t, err := time.Parse(time.RFC3339Nano, text)
	return t, err == nil
}
