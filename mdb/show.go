package mdb

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/mdb/internal/cmdline"
	"github.com/macemc/macemc/sim"
)

// showCommands returns the commands that look at a state. See the type command for their fields.
func showCommands() []command {
	return []command{
		{
			name: "step", aliases: []string{"s", "where"}, group: looking, args: "[STEP]",
			about: "describe a step: event, choices, effects in order, changes, properties", do: showStep,
			test: variant{about: "describe a step: its cause and its changes", do: showOperation},
		},
		{
			name: "state", aliases: []string{"st"}, group: looking, args: "[NODE...] [/REGEXP/]",
			about: "the state of nodes; changes are marked with *",
			more: "state            all nodes\nstate n1         node 1\nstate n1 /peers/ its fields whose path matches\n" +
				"A field that is gone existed before the step only.",
			do: showState, words: (*Session).nodeWords,
		},
		{
			name: "field", aliases: []string{"fi"}, group: looking, args: "FIELD",
			about: "one field across all nodes",
			do:    showField, words: (*Session).fieldWords,
		},
		{
			name: "messages", serves: ofSystem, aliases: []string{"m"}, group: looking, args: "[NODE] [/REGEXP/]",
			about: "the messages in flight, and which step sent them",
			do:    showMessages, words: (*Session).nodeWords,
		},
		{
			name: "timers", serves: ofSystem, aliases: []string{"t"}, group: looking, args: "[NODE]",
			about: "the armed timers, and which step set them", do: showTimers, words: (*Session).nodeWords,
		},
		{
			name: "connections", serves: ofSystem, aliases: []string{"conn"}, group: looking,
			about: "connections, queues, partitions and the remaining faults",
			do: func(s *Session, _ context.Context, _ []string, out *bytes.Buffer) error {
				w, err := s.run.World(s.run.At)
				if err != nil {
					return err
				}
				writeFields(out, "  ", w.NetFields(), nil)
				return nil
			},
		},
		{
			name: "waits", group: looking, about: "what the goroutines of a test, or of the nodes' programs, wait for, and who holds the lock",
			do: showWaits,
		},
		{
			name: "disk", serves: ofSystem, group: looking, args: "[NODE]", about: "the content of the disks, and the writes that are not synced",
			do: func(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
				return s.parts(args, out, "nothing is on disk", func(path string) bool {
					return strings.HasPrefix(path, "(disk ") || strings.HasPrefix(path, "(unsynced ")
				})
			},
			words: (*Session).nodeWords,
		},
		{
			name: "properties", serves: ofSystem, aliases: []string{"props"}, group: looking, about: "which properties hold, and since when",
			do: showProperties,
		},
		{
			name: "monitors", serves: ofSystem, aliases: []string{"mon"}, group: looking, args: "[/REGEXP/]",
			about: "the state of monitors, and what they wait for; changes are marked with *",
			more:  "monitors          all monitors\nmonitors /write/  those whose name matches",
			do:    showMonitors,
		},
		{
			name: "list", aliases: []string{"l", "source"}, group: looking, args: "[LINES]",
			about: "the source around the code that handled this step",
			more:  "list      a few lines before and after it\nlist 20   twenty",
			do:    listSource,
		},
		{
			name: "why", aliases: []string{"bt"}, group: looking, args: "[STEP]",
			about: "what caused a step: the chain of messages and timers back to the start",
			do:    why,
		},
		{
			name: "graph", group: looking, args: "[FROM [TO]] [FORMAT] [FILE]",
			about: "the event graph of a range, here or in a new file",
			more: "graph                    the steps around here, as text\ngraph 10 30 svg run.svg  steps 10 to 30 in a file\n" +
				"Formats are " + strings.Join(eventgraph.Formats().Names(), ", ") + ". json also holds steps around the range.\n" +
				"A file that exists is never overwritten.",
			do: graph, words: func(*Session) []string { return append(eventgraph.Formats().Names(), "critical") },
		},
	}
}

// nodesIn separates nodes from other arguments. No nodes means all nodes.
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

// onlyNodes returns the nodes in the arguments, or all nodes if there are none.
func (s *Session) onlyNodes(args []string) ([]int, error) {
	nodes, rest, err := s.nodesIn(args)
	if err == nil && len(rest) > 0 {
		err = cmdline.Usagef("%q: only nodes can be named", rest[0])
	}
	return nodes, err
}

func showStep(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	r := s.run
	n, err := s.stepIn(args)
	if err != nil {
		return err
	}
	if err := s.describeStep(n, out); err != nil {
		return err
	}
	t, err := r.Trace(n)
	if err != nil {
		return err
	}
	if n > 0 {
		all, _, err := r.Executed().Events(n - 1)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "  event %d of %d: %s\n", t.Index, len(all), t.Key)
	}
	for _, c := range t.Choices {
		if replay.Notable(c) {
			fmt.Fprintf(out, "  choice %s\n", replay.Decision(c))
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

// writeFields writes fields in aligned columns. Fields in changed are marked, with their old values.
func writeFields(out *bytes.Buffer, margin string, fields []diff.Field, changed map[string]string) {
	wide := 0
	for _, f := range fields {
		if n := len([]rune(f.Path)); n <= 40 {
			wide = max(wide, n)
		}
	}
	for _, f := range fields {
		mark, was := " ", ""
		if old, ok := changed[f.Path]; ok {
			mark, was = "*", "   was "+cmp.Or(old, "none")
		}
		fmt.Fprintf(out, "%s%s%-*s  %s%s\n", margin, mark, wide, f.Path, f.Value, was)
	}
}

func showState(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	r := s.run
	nodes, rest, err := s.nodesIn(args)
	if err != nil {
		return err
	}
	re, err := cmdline.Pattern(rest...)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "after step %d\n", r.At)
	for _, id := range nodes {
		fields, old, err := r.State(r.At, id)
		if err != nil {
			return err
		}
		fields = only(fields, re.MatchString)
		if len(fields) == 0 && r.OmitsEmpty {
			continue
		}
		fmt.Fprintln(out, r.Title(id))
		writeFields(out, "  ", fields, old)
	}
	return nil
}

func only(fields []diff.Field, keep func(path string) bool) []diff.Field {
	return slices.DeleteFunc(slices.Clone(fields), func(f diff.Field) bool { return !keep(f.Path) })
}

func showField(s *Session, _ context.Context, args []string, out *bytes.Buffer) error {
	if len(args) == 0 {
		return cmdline.Usagef("which field?")
	}
	sel, err := s.selector(strings.Join(args, " "))
	if err != nil {
		return err
	}
	var all []diff.Field
	for id := range s.sys.Nodes {
		_, old, err := s.run.State(s.run.At, id)
		if err != nil {
			return err
		}
		for _, f := range sel.fields(s.run, s.run.At, id) {
			if was, ok := old[f.Path]; ok {
				f.Value += "   * was " + cmp.Or(was, "none")
			}
			all = append(all, diff.Field{Path: s.run.Node(id) + "." + f.Path, Value: f.Value})
		}
	}
	if len(all) == 0 {
		return fmt.Errorf("no node has a field %q now", sel.path)
	}
	writeFields(out, " ", all, nil)
	return nil
}

// fieldWords returns the paths of all fields of the current state, for completion.
func (s *Session) fieldWords() []string {
	var words []string
	seen := map[string]bool{}
	for id := range s.sys.Nodes {
		fields, err := s.run.Fields(s.run.At, sim.NodeID(id))
		if err != nil {
			return nil
		}
		for _, f := range fields {
			if f.Part.Kind != diff.OfService {
				continue
			}
			words = append(words, s.run.Node(id)+"."+f.Path)
			if !seen[f.Path] {
				seen[f.Path] = true
				words = append(words, f.Path)
			}
		}
	}
	return words
}

// parts shows the fields whose paths satisfy keep.
func (s *Session) parts(args []string, out *bytes.Buffer, none string, keep func(path string) bool) error {
	nodes, err := s.onlyNodes(args)
	if err != nil {
		return err
	}
	shown := 0
	for _, id := range nodes {
		fields, err := s.run.Fields(s.run.At, sim.NodeID(id))
		if err != nil {
			return err
		}
		if fields = only(fields, keep); len(fields) > 0 {
			fmt.Fprintln(out, s.run.Node(id))
			writeFields(out, "  ", fields, nil)
			shown++
		}
	}
	if shown == 0 {
		fmt.Fprintf(out, "  %s\n", none)
	}
	return nil
}
