package observe

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/macemc/macemc/sim"
)

// Log is what nodes have logged: records, by node, each in order.
type Log struct {
	nodes   [][]record
	ids     map[string]string // where the record of an id is
	skipped int               // lines that are no records
	first   string            // the first of them
	untyped int               // events that are not typed
	spans   [][]span          // by node, in no order
}

// record is one of a node.
type record struct {
	file  string
	line  int
	id    string // "": none
	after []string
	event *typed // nil: none
}

func (r *record) where() string { return fmt.Sprintf("%s:%d", r.file, r.line) }

// NewLog is one of a system of so many nodes, in which nothing stands.
func NewLog(nodes int) *Log {
	return &Log{nodes: make([][]record, nodes), spans: make([][]span, nodes), ids: map[string]string{}}
}

// MaxLine is how long a line of a log can be.
const MaxLine = 64 << 20

// Read adds what stands in a file. Each line is a JSON object: what slog.JSONHandler has written, with the attributes [NodeKey], [EventKey], [IDKey]
// and [AfterKey] as far as there are any, or traces as OpenTelemetry writes them to files (OTLP), see below. Lines that are none are counted, see Gaps. An
// error is in something that is.
//
// The records of a node come one after the other, those of one file after those of the files that were read before. A record comes after those
// that it names, in whatever order the files are read.
//
// A span of a trace is a record of the node that the attribute node of its resource, or its own, says, at the time when it starts; so is each event in it, at
// its time. What has attributes event.type and event.value (JSON, as text) is an event. The times of one node order what it does; a span
// comes after the start of its parent and of those that it links to, whatever the times.
func (l *Log) Read(name string, r io.Reader) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, MaxLine)
	line := 0
	for in.Scan() {
		line++
		text := bytes.TrimSpace(in.Bytes())
		if len(text) == 0 {
			continue
		}
		if err := l.line(name, line, text); err != nil {
			return fmt.Errorf("%s:%d: %w", name, line, err)
		}
	}
	if err := in.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", name, line+1, err)
	}
	return nil
}

// line reads a line.
func (l *Log) line(name string, line int, text []byte) error {
	if text[0] != '{' || !json.Valid(text) {
		if l.skipped++; l.skipped == 1 {
			l.first = fmt.Sprintf("%s:%d", name, line)
		}
		return nil
	}
	var fields map[string]json.RawMessage // a struct would take Node and ID of others for ours
	if err := json.Unmarshal(text, &fields); err != nil {
		return err
	}
	maps.DeleteFunc(fields, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	if spans := fields["resourceSpans"]; spans != nil {
		var all []resourceSpans
		if err := json.Unmarshal(spans, &all); err != nil {
			return err
		}
		return l.traces(name, line, all)
	}
	rec := record{file: name, line: line}
	if event := fields[EventKey]; event != nil {
		var t typed
		if json.Unmarshal(event, &t) != nil || t.Type == "" || t.Value == nil {
			l.untyped++
		} else {
			rec.event = &t
		}
	}
	var err error
	if id := fields[IDKey]; id != nil {
		if rec.id, err = idOf(id); err != nil {
			return fmt.Errorf("%s: %w", IDKey, err)
		}
	}
	if after := fields[AfterKey]; after != nil {
		if rec.after, err = idsOf(after); err != nil {
			return fmt.Errorf("%s: %w", AfterKey, err)
		}
	}
	if rec.event == nil && rec.id == "" && rec.after == nil {
		return nil
	}
	if fields[NodeKey] == nil {
		return fmt.Errorf("a record with %s, %s or %s needs %s, the number of the node that logs it", EventKey, IDKey, AfterKey, NodeKey)
	}
	var node int
	if json.Unmarshal(fields[NodeKey], &node) != nil {
		return fmt.Errorf("%s is %s, want the number of a node", NodeKey, fields[NodeKey])
	}
	return l.add(node, rec)
}

func (l *Log) add(node int, rec record) error {
	if err := l.note(node, &rec); err != nil {
		return err
	}
	if len(l.spans[node]) > 0 {
		return bothKinds(node)
	}
	l.nodes[node] = append(l.nodes[node], rec)
	return nil
}

func bothKinds(node int) error {
	return fmt.Errorf("there are traces and other records of node %d, of which nothing says in what order they come", node)
}

// note checks the node of a record, and keeps its id.
func (l *Log) note(node int, rec *record) error {
	if node < 0 || node >= len(l.nodes) {
		return fmt.Errorf("%s is %d, and the system has the nodes 0 to %d", NodeKey, node, len(l.nodes)-1)
	}
	if rec.id != "" {
		if other, twice := l.ids[rec.id]; twice {
			return fmt.Errorf("%s %q is that of the record at %s, too", IDKey, rec.id, other)
		}
		l.ids[rec.id] = rec.where()
	}
	return nil
}

// idOf reads an id: a text or a number.
func idOf(text json.RawMessage) (string, error) {
	var s string
	if json.Unmarshal(text, &s) == nil && s != "" {
		return s, nil
	}
	var n json.Number
	if json.Unmarshal(text, &n) == nil && n != "" {
		return n.String(), nil
	}
	return "", fmt.Errorf("%s is neither a text nor a number", text)
}

// idsOf reads an id, or a list of them.
func idsOf(text json.RawMessage) (ids []string, err error) {
	list := []json.RawMessage{text}
	if text[0] == '[' {
		if err := json.Unmarshal(text, &list); err != nil {
			return nil, err
		}
	}
	for _, t := range list {
		id, err := idOf(t)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// Gaps says what may be missing: lines that are no records, events without a type, ids that records come after and no record has. What is said of a log with gaps is
// said of what stands in it. It is to be called when all is read.
func (l *Log) Gaps() (gaps []string) {
	if l.skipped > 0 {
		gaps = append(gaps, fmt.Sprintf("lines that are no JSON objects: %d, the first at %s", l.skipped, l.first))
	}
	if l.untyped > 0 {
		gaps = append(gaps, fmt.Sprintf("events without a type and a value, which monitors cannot be told of: %d; log them through observe.Handler", l.untyped))
	}
	missing, first := 0, ""
	for _, list := range l.lists() {
		for i := range list {
			for _, id := range list[i].after {
				if _, ok := l.ids[id]; !ok {
					if missing++; missing == 1 {
						first = fmt.Sprintf("%q of %s", id, list[i].where())
					}
				}
			}
		}
	}
	if missing > 0 {
		gaps = append(gaps, fmt.Sprintf("records that come after one that is not in the log: %d, the first %s", missing, first))
	}
	return gaps
}

// Unheard says which types of events are in the log and none of these monitors looks at: sorted, with how many there are. A type that is named otherwise than
// it was when the log was written is among them.
func (l *Log) Unheard(monitors ...sim.Monitor) ([]string, error) {
	var known []reader
	for _, m := range monitors {
		r, err := newReader(m)
		if err != nil {
			return nil, err
		}
		known = append(known, r)
	}
	count := map[string]int{}
	for _, list := range l.lists() {
		for i := range list {
			if e := list[i].event; e != nil && !slices.ContainsFunc(known, func(r reader) bool { return r[e.Type] != nil }) {
				count[e.Type]++
			}
		}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(count)) {
		out = append(out, fmt.Sprintf("%s (%d)", name, count[name]))
	}
	return out, nil
}

// History is what a monitor is told of, which must be a [Knower].
func (l *Log) History(m sim.Monitor) (History, error) {
	known, err := newReader(m)
	if err != nil {
		return nil, err
	}
	h := make(History, len(l.nodes))
	clocks := make([]clock, len(l.nodes))
	for i := range clocks {
		clocks[i] = make(clock, len(l.nodes))
	}
	lists, at := l.lists(), make([]int, len(l.nodes))
	done := map[string]clock{} // by id: what is before the records after it
	for progress := true; progress; {
		progress = false
		for node, list := range lists {
			for ; at[node] < len(list) && l.ready(&list[at[node]], done); at[node]++ {
				progress = true
				rec, now := &list[at[node]], clocks[node]
				for _, id := range rec.after {
					now.merge(done[id])
				}
				if rec.event != nil {
					ev, err := known.read(*rec.event)
					if err != nil {
						return nil, fmt.Errorf("%s: %w", rec.where(), err)
					}
					if ev != nil {
						h[node] = append(h[node], Announcement{Event: ev, File: rec.file, Step: rec.line, After: slices.Clone(now)})
						now[node]++
					}
				}
				if rec.id != "" {
					done[rec.id] = slices.Clone(now)
				}
			}
		}
	}
	var stuck []string
	for node, list := range lists {
		if at[node] < len(list) {
			stuck = append(stuck, list[at[node]].where())
		}
	}
	if stuck != nil {
		return nil, errors.New("records come after themselves, by way of others: those at " + strings.Join(stuck, ", "))
	}
	return h, nil
}

// ready reports whether all that a record comes after is done, or is nowhere.
func (l *Log) ready(r *record, done map[string]clock) bool {
	for _, id := range r.after {
		if _, there := l.ids[id]; there && done[id] == nil {
			return false
		}
	}
	return true
}
