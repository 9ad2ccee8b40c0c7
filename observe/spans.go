package observe

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
)

// The relevant fields of traces in the JSON form of OTLP.
type (
	resourceSpans struct {
		Resource   struct{ Attributes attributes }
		ScopeSpans []struct{ Spans []otlpSpan }
	}
	otlpSpan struct {
		TraceID, SpanID, ParentSpanID string
		StartTimeUnixNano             nanos
		Attributes                    attributes
		Events                        []struct {
			TimeUnixNano nanos
			Attributes   attributes
		}
		Links []struct{ TraceID, SpanID string }
	}
	attributes []struct {
		Key   string
		Value struct {
			StringValue *string
			IntValue    *nanos
		}
	}
	// nanos is a 64-bit number. OTLP encodes it as a JSON string, and some programs write a number.
	nanos int64
)

func (n *nanos) UnmarshalJSON(text []byte) error {
	var number json.Number // accepts a string with a number, too
	if err := json.Unmarshal(text, &number); err != nil {
		return err
	}
	v, err := strconv.ParseInt(number.String(), 10, 64)
	*n = nanos(v)
	return err
}

func (a attributes) text(key string) string {
	for i := range a {
		if a[i].Key == key && a[i].Value.StringValue != nil {
			return *a[i].Value.StringValue
		}
	}
	return ""
}

// node returns the number of the node, or -1 if there is none.
func (a attributes) node() (int, error) {
	for i := range a {
		if a[i].Key == nodeKey {
			if a[i].Value.IntValue == nil {
				return -1, fmt.Errorf("attribute %s is not an integer", nodeKey)
			}
			return int(*a[i].Value.IntValue), nil
		}
	}
	return -1, nil
}

// event returns the event in the attributes, or nil.
func (a attributes) event() (*typed, error) {
	t := typed{Type: a.text(eventKey + ".type"), Value: json.RawMessage(a.text(eventKey + ".value"))}
	if t.Type == "" {
		return nil, nil
	}
	if !json.Valid(t.Value) {
		return nil, fmt.Errorf("attribute %s.value is %q, want JSON", eventKey, string(t.Value))
	}
	return &t, nil
}

// span is a record ordered by time.
type span struct {
	record
	at     nanos
	parent string // id, or ""
	inside bool   // an event inside the span with id parent
}

func (l *Log) addSpan(node int, s span) error {
	if err := l.note(node, &s.record); err != nil {
		return err
	}
	if len(l.nodes[node]) > 0 {
		return bothKinds(node)
	}
	l.spans[node] = append(l.spans[node], s)
	return nil
}

// lists returns the records by node, in order. Of spans that start at the same time, a span inside another one, or
// linking to it, comes later.
func (l *Log) lists() [][]record {
	starts := map[string]*span{}
	for _, list := range l.spans {
		for i := range list {
			if !list[i].inside {
				starts[list[i].id] = &list[i]
			}
		}
	}
	known := map[*span]int{}
	var depth func(s *span) int
	depth = func(s *span) (n int) {
		if n, ok := known[s]; ok {
			return n
		}
		known[s] = 0 // for cycles
		before := s.after
		if s.inside {
			before = []string{s.parent}
		}
		for _, id := range before {
			if start, ok := starts[id]; ok {
				n = max(n, 1+depth(start))
			}
		}
		known[s] = n
		return n
	}
	lists := slices.Clone(l.nodes)
	for node, list := range l.spans {
		type placed struct {
			*span
			depth int
		}
		sorted := make([]placed, len(list))
		for i := range list {
			sorted[i] = placed{&list[i], depth(&list[i])}
		}
		slices.SortStableFunc(sorted, func(a, b placed) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.depth, b.depth)) })
		for _, s := range sorted {
			lists[node] = append(lists[node], s.record)
		}
	}
	return lists
}

// traces reads the spans of a line.
func (l *Log) traces(file string, line int, all []resourceSpans) error {
	for i := range all {
		byResource, err := all[i].Resource.Attributes.node()
		if err != nil {
			return err
		}
		for _, scope := range all[i].ScopeSpans {
			for k := range scope.Spans {
				if err := l.span(file, line, byResource, &scope.Spans[k]); err != nil {
					return fmt.Errorf("span %s: %w", scope.Spans[k].SpanID, err)
				}
			}
		}
	}
	return nil
}

func (l *Log) span(file string, line, node int, s *otlpSpan) error {
	own, err := s.Attributes.node()
	if err != nil {
		return err
	}
	if own >= 0 {
		node = own
	}
	if node < 0 {
		return fmt.Errorf("neither it nor its resource has an attribute %s, the number of the node", nodeKey)
	}
	start := record{file: file, line: line, id: s.TraceID + "/" + s.SpanID}
	if start.event, err = s.Attributes.event(); err != nil {
		return err
	}
	parent := ""
	if s.ParentSpanID != "" {
		parent = s.TraceID + "/" + s.ParentSpanID
		start.after = append(start.after, parent)
	}
	for _, link := range s.Links {
		start.after = append(start.after, link.TraceID+"/"+link.SpanID)
	}
	if err := l.addSpan(node, span{start, s.StartTimeUnixNano, parent, false}); err != nil {
		return err
	}
	last := s.StartTimeUnixNano
	for i := range s.Events {
		e := &s.Events[i]
		ev, err := e.Attributes.event()
		if err != nil {
			return err
		}
		if ev == nil {
			continue
		}
		last = max(last, e.TimeUnixNano) // events of a span are in order
		if err := l.addSpan(node, span{record{file: file, line: line, event: ev}, last, start.id, true}); err != nil {
			return err
		}
	}
	return nil
}
