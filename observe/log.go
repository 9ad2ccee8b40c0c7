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

// Log holds the log records of nodes, each node's in order.
type Log struct {
	nodes   [][]record
	ids     map[string]string // where the record of an id is
	skipped int               // lines that are not records
	first   string            // the first such line
	untyped int               // events without a type
	spans   [][]span          // by node, unordered
}

// record is a log record of a node.
type record struct {
	file  string
	line  int
	id    string // "" for none
	after []string
	event *typed // nil for none
}

func (r *record) where() string { return fmt.Sprintf("%s:%d", r.file, r.line) }

// NewLog returns an empty log for a system of so many nodes.
func NewLog(nodes int) *Log {
	return &Log{nodes: make([][]record, nodes), spans: make([][]span, nodes), ids: map[string]string{}}
}

// maxLine is the maximum length of a line of a log.
const maxLine = 64 << 20

// Read adds a file. Each line is a JSON object written by slog.JSONHandler, with the attributes "node",
// "event", "id" and "after" where applicable, or traces in OpenTelemetry's file format (OTLP). Other lines
// are counted, see Gaps. The error is about an invalid record.
//
// The records of a node are ordered within a file, and files in the order of reading. A record comes after those
// named by its AfterKey, whatever the order of reading.
//
// A span of a trace is a record of the node in the node attribute of its resource, or its own, at its start time.
// So is each event in a span, at its time. Attributes event.type and event.value (JSON, as text) make it an event
// for monitors. Times order the records of one node. A span comes after the start of its parent and of the spans
// that it links to, whatever the times.
func (l *Log) Read(name string, r io.Reader) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, maxLine)
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
	var fields map[string]json.RawMessage // a struct would match keys without regard to case
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
	if event := fields[eventKey]; event != nil {
		var t typed
		if json.Unmarshal(event, &t) != nil || t.Type == "" || t.Value == nil {
			l.untyped++
		} else {
			rec.event = &t
		}
	}
	var err error
	if id := fields[idKey]; id != nil {
		if rec.id, err = idOf(id); err != nil {
			return fmt.Errorf("%s: %w", idKey, err)
		}
	}
	if after := fields[afterKey]; after != nil {
		if rec.after, err = idsOf(after); err != nil {
			return fmt.Errorf("%s: %w", afterKey, err)
		}
	}
	if rec.event == nil && rec.id == "" && rec.after == nil {
		return nil
	}
	if fields[nodeKey] == nil {
		return fmt.Errorf("a record with %s, %s or %s needs %s, the number of the node that logs it", eventKey, idKey, afterKey, nodeKey)
	}
	var node int
	if json.Unmarshal(fields[nodeKey], &node) != nil {
		return fmt.Errorf("%s is %s, want the number of a node", nodeKey, fields[nodeKey])
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
	return fmt.Errorf("node %d has both traces and other records; their order is unknown", node)
}

// note checks the node of a record, and stores its id.
func (l *Log) note(node int, rec *record) error {
	if node < 0 || node >= len(l.nodes) {
		return fmt.Errorf("%s is %d, but the system has nodes 0 to %d", nodeKey, node, len(l.nodes)-1)
	}
	if rec.id != "" {
		if other, twice := l.ids[rec.id]; twice {
			return fmt.Errorf("%s %q is also that of the record at %s", idKey, rec.id, other)
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

// idsOf reads an id, or a list of ids.
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

// Gaps describes what may be missing: lines that are not records, events without a type, and references to ids that
// no record has. Verdicts on a log with gaps apply only to its content. Call Gaps after reading all files.
func (l *Log) Gaps() (gaps []string) {
	if l.skipped > 0 {
		gaps = append(gaps, fmt.Sprintf("lines that are not JSON objects: %d, the first at %s", l.skipped, l.first))
	}
	if l.untyped > 0 {
		gaps = append(gaps, fmt.Sprintf("events without a type and a value, which monitors cannot see: %d; log them through observe.Handler",
			l.untyped))
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

// Unheard lists the types of events in the log that none of these monitors observes, sorted and with their counts.
// They include types that were renamed after the log was written.
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

// History returns the announcements for a monitor, which must have a method Events() []any.
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
	done := map[string]clock{} // by id: the clock of the records after it
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
		return nil, errors.New("the order of records is cyclic, at " + strings.Join(stuck, ", "))
	}
	return h, nil
}

// ready reports whether every record that r comes after is done or missing.
func (l *Log) ready(r *record, done map[string]clock) bool {
	for _, id := range r.after {
		if _, there := l.ids[id]; there && done[id] == nil {
			return false
		}
	}
	return true
}
