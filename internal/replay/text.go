package replay

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/textfmt"
)

// Bookkeeping reports whether the change is in the node's timers or counted actions, not in its service's state or
// disk.
func (c *NodeChange) Bookkeeping() bool {
	return c.Part.Kind == diff.OfTimer || c.Part.Kind == diff.OfAction
}

// Waits reports whether the change is in what the goroutines of an ordinary program wait for.
func (c *NodeChange) Waits() bool { return c.Part.Kind == diff.OfProgram }

// Minor reports whether the change is less informative than others: [NodeChange.Bookkeeping] or [NodeChange.Waits].
func (c *NodeChange) Minor() bool { return c.Bookkeeping() || c.Waits() }

// Short renders the change in a few words: "Seen 1->2", "peers[3] =n2", "parent removed", "unsynced write 1: lease = 7".
// Long values are shown around the first place where they differ, and names without their numbers. The text is empty if goroutines of a
// program wait only at other places of the standard library.
func (c *NodeChange) Short() string {
	const most = 32
	to := Shorten(c.New, most)
	if c.Part.Kind == diff.OfWrite {
		write := strings.Trim(c.Path, "()")
		if c.New == "" {
			return write + " removed"
		}
		return write + ": " + to
	}
	switch operation := fileChange(c.Part.Name); {
	case operation != "" && c.Part.Kind == diff.OfDisk && c.New == "":
		return "disk: no longer " + operation
	case operation != "" && c.Part.Kind == diff.OfDisk:
		return "disk: " + operation // the value has only details
	case c.Waits() && c.Part.Name != simext.GoroutinesField:
		return "" // whether Seen is of an earlier step; what is held back says so
	case c.Waits():
		return waits(c.Old, c.New)
	case c.Old == "":
		return c.Path + " =" + to
	case c.New == "":
		return c.Path + " removed"
	}
	from, to := textfmt.Names(c.Old, c.New)
	from, to = textfmt.CutPair(from, to, most)
	return c.Path + " " + from + "->" + to
}

// waits describes the goroutines of a program that wait at other places of its code than before. It is empty if there are none, or if a
// description is missing.
func waits(old, now string) string {
	if old == simext.Outlined || now == simext.Outlined {
		return ""
	}
	const most = 3
	before := strings.Split(old, simext.BetweenGoroutines)
	var texts, waits []string
	for text := range strings.SplitSeq(now, simext.BetweenGoroutines) {
		switch {
		case slices.Contains(before, text), strings.HasSuffix(text, simext.InLibrary), text == simext.NoGoroutines:
		case strings.Contains(text, simext.Pauses):
			texts = append(texts, text)
		default:
			waits = append(waits, text)
		}
	}
	if more := len(waits) - most; more > 0 {
		waits = append(waits[:most], fmt.Sprintf("and %d more", more))
	}
	if len(waits) > 0 {
		texts = append(texts, "waits: "+strings.Join(waits, ", "))
	}
	return strings.Join(texts, ", ")
}

// PartOf reports whether path names a part of whole, as "out[0].Seq" and "out[0]" are parts of "out". A field shown
// as a whole ("[]", "nil") has not disappeared if its parts are shown instead.
func PartOf(path, whole string) bool {
	rest, ok := strings.CutPrefix(path, whole)
	return ok && rest != "" && (rest[0] == '[' || rest[0] == '.')
}

// Readable returns the changes of a step for people. A container that was empty, or is now, is a field of its own, in
// place of its elements. Readable shows a small one as a whole, as in "[1]->[]" or "{}->{2:1}", and omits the field of others.
func Readable(changes []NodeChange) []NodeChange {
	const most = 4 // elements of a small container
	type place struct {
		node int
		path string
	}
	single := map[place]int{} // fields that exist only before or only after the step
	for i, c := range changes {
		if (c.Old == "") != (c.New == "") && c.Part == (Part{}) {
			single[place{c.Node, c.Path}] = i
		}
	}
	parts := map[int][]int{} // of fields that were or became empty
	for i, c := range changes {
		if single[place{c.Node, c.Path}] != i || c.Old == c.New {
			continue
		}
		for end, r := range c.Path {
			whole, ok := single[place{c.Node, c.Path[:end]}]
			if ok && (r == '[' || r == '.') && (changes[whole].Old == "") != (c.Old == "") {
				parts[whole] = append(parts[whole], i)
			}
		}
	}
	if len(parts) == 0 {
		return changes
	}
	omitted := map[int]bool{}
	merged := map[int]NodeChange{} // by the index of the first change that it replaces
	for whole, list := range parts {
		omitted[whole] = true
		c := changes[whole]
		text, none, ok := elements(&c, changes, list)
		if !ok || len(list) > most {
			continue
		}
		if c.Old == "" {
			c.Old, c.New = text, none
		} else {
			c.Old, c.New = none, text
		}
		for _, i := range list {
			omitted[i] = true
		}
		merged[min(whole, list[0])] = c
	}
	var shown []NodeChange
	for i := range changes {
		if c, ok := merged[i]; ok {
			shown = append(shown, c)
		} else if !omitted[i] {
			shown = append(shown, changes[i])
		}
	}
	return shown
}

// elements returns the text of a slice or map that is empty before or after a step, from the changes of its elements, and its
// text without them. It returns false if the field is another one, or if elements have parts.
func elements(empty *NodeChange, changes []NodeChange, list []int) (text, none string, ok bool) {
	first, last, keyed := "[", "]", false
	switch empty.Old + empty.New {
	case "[]":
	case "map[]":
		first, last, keyed = "{", "}", true
	default:
		return "", "", false
	}
	var texts []string
	for _, i := range list {
		c := &changes[i]
		key := strings.TrimSuffix(c.Path[len(empty.Path)+1:], "]")
		if c.Path != empty.Path+"["+key+"]" || strings.ContainsAny(key, "[].") {
			return "", "", false
		}
		value := c.Old + c.New
		if keyed {
			value = key + ":" + value
		}
		texts = append(texts, value)
	}
	return first + strings.Join(texts, " ") + last, first + last, true
}

// Shorten cuts s to at most n characters, with "..." at the end if it was longer.
func Shorten(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return string(r[:max(0, n-3)]) + "..."
}

// mostLong is the maximum length of a value in a log.
const mostLong = 200

// long shortens a text of several lines, and adds its length.
func long(s string) string {
	r := []rune(s)
	if len(r) <= mostLong {
		return s
	}
	return fmt.Sprintf("%s... (%s characters)", string(r[:mostLong/2]), textfmt.Number(len(r)))
}

// Folded is a sequence of steps that a log shows as one line. First and Last are the numbers of steps, both inclusive.
type Folded struct {
	First, Last int
	Text        string
}

// WriteText writes the run as a log, with one block of lines per step and everything that the trace holds, except for
// folded steps, which ascend, and parts of long values. The output is deterministic.
func (t *Trace) WriteText(w io.Writer, folded ...Folded) error {
	b := bufio.NewWriter(textfmt.Printer(w))
	fmt.Fprintf(b, "%s, %d nodes:", t.System, t.Nodes)
	for id, name := range t.Names {
		fmt.Fprintf(b, " n%d %s", id, name)
	}
	b.WriteString("\n")
	ends := t.ends()
	round := len(t.Steps) // steps before the cycle
	if t.Round > 0 {
		round -= t.Round
	}
	kinds := map[string]string{}
	for _, p := range t.Properties {
		kinds[p.Name] = p.Kind
	}
	t.Boot.writeText(b, ends[0], kinds)
	for i := range t.Steps {
		if i == round {
			b.WriteString("start of the cycle that repeats forever\n")
		}
		if len(folded) > 0 && t.Steps[i].Number >= folded[0].First {
			if t.Steps[i].Number == folded[0].Last {
				fmt.Fprintf(b, "... %s\n", folded[0].Text)
				folded = folded[1:]
			}
			continue
		}
		t.Steps[i].writeText(b, ends[i+1], kinds)
	}
	if t.Round > 0 {
		fmt.Fprintf(b, "end of the cycle: same state as before step %d\n", round+1)
	}
	switch {
	case t.Endless == "":
	case t.Round == 0:
		fmt.Fprintf(b, "no fair event can happen any more; %s\n", t.Endless)
	default:
		fmt.Fprintf(b, "%s\n", t.Endless)
	}
	if f := t.Finding; f != nil {
		fmt.Fprintf(b, "found after step %d: %v\n", t.FoundAt, f)
	}
	for _, p := range t.Properties {
		state := "holds"
		if !p.Holds {
			state = "does not hold"
		}
		fmt.Fprintf(b, "after the last step %q %s (%s)", p.Name, state, p.Kind)
		if p.Explain != "" {
			fmt.Fprintf(b, ": %s", p.Explain)
		}
		b.WriteString("\n")
	}
	for _, line := range t.inFlight() {
		fmt.Fprintf(b, "in flight at the end: %s\n", line)
	}
	return b.Flush()
}

// inFlight describes the messages in flight at the end, in sending order. Messages of one text on one link are one line.
func (t *Trace) inFlight() (lines []string) {
	type content struct {
		from, to int
		text     string
	}
	var first []*TraceMessage // of each content
	count := map[content]int{}
	key := func(m *TraceMessage) content { return content{m.From, m.To, m.Text} }
	for i := range t.Messages {
		if m := &t.Messages[i]; m.InFlight {
			if count[key(m)]++; count[key(m)] == 1 {
				first = append(first, m)
			}
		}
	}
	for _, m := range first {
		if n := count[key(m)]; n > 1 {
			lines = append(lines, fmt.Sprintf("%d %s n%d->n%d, the first since step %d", n, long(m.Text), m.From, m.To, m.Sent))
		} else {
			lines = append(lines, fmt.Sprintf("%s, since step %d", m.line(), m.Sent))
		}
	}
	return lines
}

// ends describes, by step, the fates of messages that no other line shows.
func (t *Trace) ends() [][]string {
	lines := make([][]string, len(t.Steps)+1)
	for i := range t.Messages {
		m := &t.Messages[i]
		if m.CopyOf > 0 && m.Sent < len(lines) {
			lines[m.Sent] = append(lines[m.Sent], fmt.Sprintf("#%d is a copy of #%d", m.ID, m.CopyOf))
		}
		for _, f := range m.Fates {
			switch f.Fate {
			case netmodel.Delivered, netmodel.Lost, netmodel.Duplicated, netmodel.Refused:
			default:
				if f.Step < len(lines) {
					lines[f.Step] = append(lines[f.Step], m.line()+": "+f.Name)
				}
			}
		}
	}
	return lines
}

// writeText writes the step. Ends are the fates of messages in it, and kinds those of the properties by name.
func (s *TraceStep) writeText(b *bufio.Writer, ends []string, kinds map[string]string) {
	fmt.Fprintf(b, "%d %s", s.Number, long(s.Sentence()))
	if s.Concerns > 0 {
		fmt.Fprintf(b, " #%d", s.Concerns)
	}
	if s.Source != "" {
		fmt.Fprintf(b, "  [%s]", s.Source)
	}
	b.WriteString("\n")
	for _, c := range s.Choices {
		fmt.Fprintf(b, "    choice %s\n", Decision(c))
	}
	for _, e := range s.Effects {
		fmt.Fprintf(b, "    %s%s", strings.Repeat("  ", e.Depth), e.Kind)
		switch {
		case e.IsCall() && e.Call.Caller != "":
			fmt.Fprintf(b, " %s -> %s", e.Call.Caller, long(e.Text))
		case e.Text != "":
			fmt.Fprintf(b, " %s", long(e.Text))
		}
		if e.Peer >= 0 {
			fmt.Fprintf(b, " to n%d", e.Peer)
		}
		if e.MsgID > 0 {
			fmt.Fprintf(b, " #%d", e.MsgID)
		}
		if !e.Applied {
			b.WriteString(" (did not happen)")
		}
		if e.From != "" {
			fmt.Fprintf(b, "  [%s]", e.From)
		}
		b.WriteString("\n")
	}
	for _, line := range ends {
		fmt.Fprintf(b, "    %s\n", line)
	}
	for _, c := range Readable(s.Changes) {
		was, is := textfmt.CutPair(c.Old, c.New, mostLong)
		fmt.Fprintf(b, "    n%d.%s: %s -> %s\n", c.Node, c.Path, orNone(was), orNone(is))
	}
	if s.Hash == "" {
		b.WriteString("    no state: the step does not finish\n")
		return
	}
	fmt.Fprintf(b, "    state %s %s\n", s.Hash[:min(16, len(s.Hash))], s.judgement(kinds))
}

// judgement names the properties that do not hold after the step: "not live: every ping is acknowledged; violated:
// one leader".
func (s *TraceStep) judgement(kinds map[string]string) string {
	var not, violated, pending []string
	for _, name := range s.Failing {
		switch kinds[name] {
		case "always":
			violated = append(violated, name)
		case "inevitably":
			pending = append(pending, name)
		default:
			not = append(not, name)
		}
	}
	text := "live"
	if !s.Live {
		text = "not live"
	}
	if not != nil {
		text += ": " + strings.Join(not, "; ")
	}
	if violated != nil {
		text += "; violated: " + strings.Join(violated, "; ")
	}
	if pending != nil {
		text += "; pending: " + strings.Join(pending, "; ")
	}
	return text
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
