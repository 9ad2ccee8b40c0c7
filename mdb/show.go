package mdb

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"strings"

	"github.com/macemc/macemc/replay"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/sim/plan"
)

func showCommands() []command {
	return []command{
		{
			name: "step", aliases: []string{"s", "where"}, group: looking, args: "[STEP]",
			about: "all about a step: event, choices, effects in order, changes, properties",
			do:    showStep,
		},
		{
			name: "state", aliases: []string{"st"}, group: looking, args: "[NODE...] [/REGEXP/]",
			about: "the state of nodes; what the step changed is marked with *",
			more:  "state            all nodes\nstate n1         node 1\nstate n1 /peers/ its fields whose path matches",
			do:    showState, words: (*Session).nodeWords,
		},
		{
			name: "field", aliases: []string{"fi"}, group: looking, args: "FIELD",
			about: "one field across all nodes",
			do:    showField, words: (*Session).fieldWords,
		},
		{
			name: "messages", aliases: []string{"m"}, group: looking, args: "[NODE] [/REGEXP/]",
			about: "the messages in flight, and which step sent them",
			do:    showMessages, words: (*Session).nodeWords,
		},
		{
			name: "timers", aliases: []string{"t"}, group: looking, args: "[NODE]", about: "the armed timers, and which step set them",
			do: showTimers, words: (*Session).nodeWords,
		},
		{
			name: "connections", aliases: []string{"conn"}, group: looking, about: "connections, queues, partitions and the faults that are left",
			do: func(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
				w, err := s.run.world(s.run.at)
				if err != nil {
					return err
				}
				writeFields(out, "  ", w.NetFields(), nil)
				return nil
			},
		},
		{
			name: "disk", group: looking, args: "[NODE]", about: "what is on the disks, and what was written but not synced",
			do: func(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
				return s.parts(args, out, "nothing is on disk", func(path string) bool {
					return strings.HasPrefix(path, "(disk ") || strings.HasPrefix(path, "(unsynced ")
				})
			},
			words: (*Session).nodeWords,
		},
		{
			name: "properties", aliases: []string{"props"}, group: looking, about: "which properties hold, and since when",
			do: showProperties,
		},
		{
			name: "why", aliases: []string{"bt"}, group: looking, args: "[STEP]",
			about: "what caused a step: the chain of messages and timers back to the start",
			do:    why,
		},
		{
			name: "graph", group: looking, args: "[FROM [TO]] [FORMAT] [FILE]",
			about: "the event graph of a range, here or into a new file",
			more: "graph                    the steps around here, as text\ngraph 10 30 svg run.svg  steps 10 to 30 into a file\n" +
				"Formats are text, svg, html, mermaid, dot and json. A file that exists is never overwritten.",
			do: graph, words: func(*Session) []string { return []string{"text", "svg", "html", "mermaid", "dot", "json", "critical"} },
		},
	}
}

// nodesIn takes nodes out of arguments; none: all nodes.
func (s *Session) nodesIn(args []string) (nodes []int, rest []string, err error) {
	for _, a := range args {
		switch {
		case strings.HasPrefix(a, "/"):
			rest = append(rest, a)
		case a == "all":
		case a == "." && s.node >= 0:
			nodes = append(nodes, s.node)
		default:
			n, err := s.nodeID(a)
			if err != nil {
				return nil, nil, err
			}
			nodes = append(nodes, n)
		}
	}
	if nodes == nil {
		for n := range s.sys.Nodes {
			nodes = append(nodes, n)
		}
	}
	return nodes, rest, nil
}

func showStep(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	r, n := s.run, s.run.at
	if len(args) > 0 {
		var err error
		if n, err = s.place(args[0]); err != nil {
			return err
		}
	}
	if err := s.sayStep(n, out); err != nil {
		return err
	}
	t, err := r.trace(n)
	if err != nil {
		return err
	}
	if n > 0 {
		fmt.Fprintf(out, "  event %d of %d: %s\n", t.Index, t.Enabled, t.Key)
	}
	for _, c := range t.Choices {
		if replay.Notable(c) {
			fmt.Fprintf(out, "  choice %s %q: %d of %d\n", c.Kind, c.Label, c.Pick, c.Arity)
		}
	}
	for _, e := range t.Effects {
		fmt.Fprintf(out, "  %s", e.Kind)
		if e.Text != "" {
			fmt.Fprintf(out, " %s", e.Text)
		}
		if e.Peer >= 0 {
			fmt.Fprintf(out, " to n%d", e.Peer)
		}
		if !e.Applied {
			fmt.Fprint(out, " (did not happen)")
		}
		if e.From != "" {
			fmt.Fprintf(out, "  [%s]", e.From)
		}
		fmt.Fprintln(out)
	}
	for _, p := range t.Failing {
		fmt.Fprintf(out, "  does not hold: %s\n", p)
	}
	return nil
}

// writeFields writes fields in aligned columns; those in changed get a mark and their old value.
func writeFields(out *bytes.Buffer, margin string, fields []sim.Field, changed map[string]string) {
	wide := 0
	for _, f := range fields {
		if n := len([]rune(f.Path)); n <= 40 {
			wide = max(wide, n)
		}
	}
	for _, f := range fields {
		mark, was := " ", ""
		if old, ok := changed[f.Path]; ok {
			mark, was = "*", "   was "+orNone(old)
		}
		fmt.Fprintf(out, "%s%s%-*s  %s%s\n", margin, mark, wide, f.Path, f.Value, was)
	}
}

// changed returns what step n changed on a node: the old values by path.
func (r *run) changed(n, node int) (map[string]string, []string, error) {
	if n == 0 {
		return nil, nil, nil
	}
	t, err := r.trace(n)
	if err != nil {
		return nil, nil, err
	}
	old := map[string]string{}
	var gone []string
	for _, c := range t.Changes {
		if c.Node == node {
			old[c.Path] = c.Old
			if c.New == "" {
				gone = append(gone, c.Path+" (was "+c.Old+")")
			}
		}
	}
	return old, gone, nil
}

func showState(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	r := s.run
	nodes, rest, err := s.nodesIn(args)
	if err != nil {
		return err
	}
	var re *regexp.Regexp
	if len(rest) > 0 {
		if re, err = pattern(rest...); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "after step %d\n", r.at)
	for _, id := range nodes {
		fields, err := r.fields(r.at, sim.NodeID(id))
		if err != nil {
			return err
		}
		old, gone, err := r.changed(r.at, id)
		if err != nil {
			return err
		}
		if re != nil {
			fields = only(fields, re.MatchString)
			gone = nil
		}
		fmt.Fprintf(out, "n%d\n", id)
		writeFields(out, "  ", fields, old)
		for _, g := range gone {
			fmt.Fprintf(out, "  *gone: %s\n", g)
		}
	}
	return nil
}

func only(fields []sim.Field, keep func(path string) bool) []sim.Field {
	var out []sim.Field
	for _, f := range fields {
		if keep(f.Path) {
			out = append(out, f)
		}
	}
	return out
}

func showField(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	if len(args) == 0 {
		return badUsage("which field?")
	}
	sel, err := s.selector(strings.Join(args, " "))
	if err != nil {
		return err
	}
	w, err := s.run.world(s.run.at)
	if err != nil {
		return err
	}
	var all []sim.Field
	for id := range s.sys.Nodes {
		old, _, err := s.run.changed(s.run.at, id)
		if err != nil {
			return err
		}
		for _, f := range sel.fields(w, sim.NodeID(id)) {
			if was, ok := old[f.Path]; ok {
				f.Value += "   * was " + orNone(was)
			}
			all = append(all, sim.Field{Path: fmt.Sprintf("n%d.%s", id, f.Path), Value: f.Value})
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("no node has a field %q now", sel.path)
	}
	writeFields(out, " ", all, nil)
	return nil
}

// fieldWords are the paths of all fields now, for completion.
func (s *Session) fieldWords() []string {
	w, err := s.run.world(s.run.at)
	if err != nil {
		return nil
	}
	var words []string
	seen := map[string]bool{}
	for id := range s.sys.Nodes {
		for _, f := range w.NodeFields(sim.NodeID(id)) {
			if strings.HasPrefix(f.Path, "(") {
				continue
			}
			words = append(words, fmt.Sprintf("n%d.%s", id, f.Path))
			if !seen[f.Path] {
				seen[f.Path] = true
				words = append(words, f.Path)
			}
		}
	}
	return words
}

func showMessages(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	nodes, rest, err := s.nodesIn(args)
	if err != nil {
		return err
	}
	re, err := pattern(rest...)
	if err != nil {
		return err
	}
	lines, err := s.run.inFlight(s.run.at)
	if err != nil {
		return err
	}
	shown := 0
	for _, m := range lines {
		for _, n := range nodes {
			if int(m.From) == n || int(m.To) == n {
				if !re.MatchString(m.text) {
					break
				}
				fmt.Fprintf(out, "  %s  sent in step %d\n", m, m.sent)
				shown++
				break
			}
		}
	}
	if shown == 0 {
		fmt.Fprintln(out, "  no message is in flight")
	}
	return nil
}

// flying is a message in flight.
type flying struct {
	sim.Envelope
	text string
	sent int
}

func (f flying) String() string {
	kind := ""
	if f.Stream {
		kind = " (stream)"
	}
	return fmt.Sprintf("n%d->n%d  %s%s", f.From, f.To, f.text, kind)
}

func (r *run) inFlight(n int) ([]flying, error) {
	w, err := r.world(n)
	if err != nil {
		return nil, err
	}
	plans, err := plan.NewSet(w.System().State...)
	if err != nil {
		return nil, err
	}
	var all []flying
	for m := range w.InFlight() {
		f := flying{Envelope: m}
		if p, err := plans.Of(m.Msg); err == nil {
			f.text = replay.Brief(p.Text(m.Msg))
		}
		f.sent, _ = r.cursor.SentAt(m.ID)
		all = append(all, f)
	}
	return all, nil
}

// parts shows the fields of some kind.
func (s *Session) parts(args []string, out *bytes.Buffer, none string, keep func(path string) bool) error {
	nodes, _, err := s.nodesIn(args)
	if err != nil {
		return err
	}
	shown := 0
	for _, id := range nodes {
		fields, err := s.run.fields(s.run.at, sim.NodeID(id))
		if err != nil {
			return err
		}
		if fields = only(fields, keep); len(fields) > 0 {
			fmt.Fprintf(out, "n%d\n", id)
			writeFields(out, "  ", fields, nil)
			shown++
		}
	}
	if shown == 0 {
		fmt.Fprintf(out, "  %s\n", none)
	}
	return nil
}

func isTimer(path string) bool { return strings.HasPrefix(path, "(timer ") }

func showTimers(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	nodes, _, err := s.nodesIn(args)
	if err != nil {
		return err
	}
	shown := 0
	for _, id := range nodes {
		fields, err := s.run.fields(s.run.at, sim.NodeID(id))
		if err != nil {
			return err
		}
		for _, f := range only(fields, isTimer) {
			text := strings.TrimSuffix(strings.TrimPrefix(f.Path, "(timer "), ")")
			step, err := s.run.setAt(id, f.Path)
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "  n%d  %s  %s, since step %d\n", id, replay.Brief(text), f.Value, step)
			shown++
		}
	}
	if shown == 0 {
		fmt.Fprintln(out, "  no timer is armed")
	}
	return nil
}

// setAt is the step since which a node has a field, looking back from where we stand.
func (r *run) setAt(node int, path string) (int, error) {
	for n := r.at; n > 0; n-- {
		if int(r.step(n).ev.Node) != node {
			continue
		}
		t, err := r.trace(n)
		if err != nil {
			return 0, err
		}
		for _, c := range t.Changes {
			if c.Node == node && c.Path == path && c.Old == "" {
				return n, nil
			}
		}
	}
	return 0, nil
}

func showProperties(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
	r := s.run
	w, err := r.world(r.at)
	if err != nil {
		return err
	}
	for i := range s.sys.Properties {
		p := &s.sys.Properties[i]
		kind := "always"
		switch {
		case p.Eventually != nil:
			kind = "eventually"
		case p.Sometimes != nil:
			kind = "sometimes"
		}
		if i >= 64 {
			fmt.Fprintf(out, "  %-10s %s\n", kind, p.Name)
			continue
		}
		bit := uint64(1) << i
		since := r.at
		for since > 0 && (r.step(since-1).failing^r.step(r.at).failing)&bit == 0 {
			since--
		}
		state := "holds"
		if r.step(r.at).failing&bit != 0 {
			state = "FAILS"
		}
		when := fmt.Sprintf("since step %d", since)
		if since == 0 {
			when = "from the start"
		}
		fmt.Fprintf(out, "  %-10s %s  %-16s %s\n", kind, state, when, p.Name)
		if state == "FAILS" {
			if text := explain(w, p); text != "" {
				fmt.Fprintln(out, indent(text, "                      "))
			}
		}
	}
	if r.step(r.at).live {
		fmt.Fprintln(out, "  the state is live")
	} else if last := r.lastLive(r.at); last >= 0 {
		fmt.Fprintf(out, "  the state is not live; it was after step %d\n", last)
	} else {
		fmt.Fprintln(out, "  the state is not live, and none before was")
	}
	return nil
}

// explain is what a property says of a state, nothing when its function panics.
func explain(w sim.World, p *sim.Property) (text string) {
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return w.Explain(p)
}

func (r *run) lastLive(n int) int {
	for ; n >= 0; n-- {
		if r.step(n).live {
			return n
		}
	}
	return -1
}

// why follows the chain of causes.
func why(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	r, n := s.run, s.run.at
	if len(args) > 0 {
		var err error
		if n, err = s.place(args[0]); err != nil {
			return err
		}
	}
	const most = 200
	for length := 0; ; length++ {
		if n == 0 {
			fmt.Fprintln(out, "    0  first boots")
			return nil
		}
		info := r.step(n)
		t, err := r.trace(n)
		if err != nil {
			return err
		}
		source := ""
		if t.Source != "" {
			source = "  [" + t.Source + "]"
		}
		fmt.Fprintf(out, "%5d  %s%s\n", n, t.Sentence(), source)
		if info.cause == root {
			fmt.Fprintln(out, "       a fault: nothing caused it")
			return nil
		}
		if length == most {
			fmt.Fprintf(out, "       and so on, see \"why %d\"\n", info.cause)
			return nil
		}
		fmt.Fprintf(out, "       %s\n", because(info))
		n = int(info.cause)
	}
}

// because says how a step follows from its cause.
func because(s *stepInfo) string {
	switch s.ev.Kind {
	case sim.Deliver, sim.Lose, sim.Duplicate:
		return fmt.Sprintf("was sent by n%d in", s.ev.Peer)
	case sim.FireTimer:
		return "the timer was set in"
	case sim.DoAction:
		return "by the application, which runs since"
	case sim.Boot:
		return "the node was down since"
	case sim.DeliverError:
		return "the connection broke in"
	case sim.DeliverReady:
		return "a message was refused in"
	case sim.Heal:
		return "the partition began in"
	}
	return "follows from"
}
