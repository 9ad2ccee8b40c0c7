package observe

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/sim"
)

// Events implements [Knower].
func (a *automaton) Events() []any { return []any{0} }

// asLog writes a history as lines of JSON: each announcement is a record that comes after the last ones that it has to. Some records of other nodes stand between
// a cause and what comes after it.
func asLog(r *rand.Rand, h History) []string {
	files := make([]string, len(h))
	line := func(node int, more string) {
		files[node] += fmt.Sprintf(`{"time":"x","msg":"m","node":%d%s}`+"\n", node, more)
	}
	for node, list := range h {
		for i, a := range list {
			var after []string
			for other, n := range a.After {
				if other != node && n > 0 {
					after = append(after, fmt.Sprintf(`"%d.%d"`, other, n-1))
				}
			}
			if r.IntN(2) == 0 && len(after) > 0 { // the message arrives in a record of its own
				line(node, `,"after":[`+strings.Join(after, ",")+`]`)
				after = nil
			}
			event := fmt.Sprintf(`,"event":{"type":"int","value":%d},"id":"%d.%d"`, a.Event, node, i)
			switch {
			case len(after) == 1:
				event += `,"after":` + after[0]
			case after != nil:
				event += `,"after":[` + strings.Join(after, ",") + `]`
			}
			line(node, event)
			if r.IntN(3) == 0 {
				line(node, `,"other":{"event":1}`)
			}
		}
	}
	if r.IntN(2) == 0 { // nodes may share a file
		files = []string{strings.Join(files, "")}
	}
	r.Shuffle(len(files), func(i, k int) { files[i], files[k] = files[k], files[i] })
	return files
}

// asSpans writes a history as traces: a span for each announcement, with a parent or links for its causes. The clocks of the nodes differ.
func asSpans(r *rand.Rand, h History) []string {
	id := func(node, i int) string { return hex.EncodeToString(fmt.Appendf(nil, "%04d%04d", node, i)) }
	linked := map[string]bool{}
	for node, list := range h {
		for _, a := range list {
			for other, n := range a.After {
				if other != node && n > 0 {
					linked[id(other, n-1)] = true
				}
			}
		}
	}
	var all []string
	for node, list := range h {
		var spans []string
		at := 1000 * r.IntN(9)
		for i, a := range list {
			at += r.IntN(2) // spans that follow each other may start at the same time, if one is the parent of the other
			s := map[string]any{"traceId": "aa", "spanId": id(node, i), "name": "s"}
			var links []any
			for other, n := range a.After {
				if other != node && n > 0 {
					links = append(links, map[string]any{"traceId": "aa", "spanId": id(other, n-1)})
				}
			}
			if i > 0 {
				s["parentSpanId"] = id(node, i-1)
			}
			if links != nil {
				s["links"] = links
			}
			s["startTimeUnixNano"] = fmt.Sprint(at)
			attrs := []any{
				map[string]any{"key": "event.type", "value": map[string]any{"stringValue": "int"}},
				map[string]any{"key": "event.value", "value": map[string]any{"stringValue": fmt.Sprint(a.Event)}},
			}
			if linked[id(node, i)] || r.IntN(2) == 0 { // links are to the start of a span
				s["attributes"] = attrs
			} else {
				at++
				s["events"] = []any{map[string]any{"name": "e", "timeUnixNano": at, "attributes": attrs}}
				at++
			}
			text, _ := json.Marshal(s)
			spans = append(spans, string(text))
		}
		r.Shuffle(len(spans), func(i, k int) { spans[i], spans[k] = spans[k], spans[i] }) // as they ended
		all = append(all, fmt.Sprintf(`{"resourceSpans":[{"resource":{"attributes":[{"key":"node","value":{"intValue":"%d"}}]},"scopeSpans":[{"scope":{},"spans":[%s]}]}]}`,
			node, strings.Join(spans, ",")))
	}
	r.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	return []string{strings.Join(all, "\n")}
}

func read(nodes int, files []string) (*Log, error) {
	l := NewLog(nodes)
	for i, f := range files {
		if err := l.Read(fmt.Sprintf("f%d", i), strings.NewReader(f)); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// Histories written as a log, or as traces, are judged as by definition.
func TestLogs_Definition(t *testing.T) {
	of := map[Verdict]int{}
	seeds := uint64(3000)
	if testing.Short() {
		seeds = 500
	}
	for seed := range seeds {
		for name, as := range map[string]func(*rand.Rand, History) []string{"log": asLog, "spans": asSpans} {
			r := rand.New(rand.NewPCG(seed, 4))
			h, monitor := random(r)
			want, least := byDefinition(h, monitor)
			l, err := read(len(h), as(r, h))
			if err != nil {
				t.Fatalf("%s %d: %v", name, seed, err)
			}
			back, err := l.History(monitor())
			if err != nil || l.Gaps() != nil {
				t.Fatalf("%s %d: %v, %v", name, seed, err, l.Gaps())
			}
			j, err := Judge(context.Background(), back, monitor, rules, 10_000)
			if err != nil || j.Verdict != want || want != None && len(j.Order) != least {
				t.Fatalf("%s %d: %+v, %v; by definition %s after %d", name, seed, j, err, want, least)
			}
			of[want]++
		}
	}
	if t.Log(of); min(of[None], of[Some], of[Every]) < int(seeds)/6 {
		t.Error("the histories are not worth much")
	}
}

// A log that loses what ties its records together is noticed by the comparison with the definition.
func TestLogs_DefectsFound(t *testing.T) {
	for name, spoil := range map[string]func(string) string{
		"after is not read":  func(f string) string { return strings.ReplaceAll(f, `"after"`, `"afterwards"`) },
		"links are not read": func(f string) string { return strings.ReplaceAll(f, `"links"`, `"lines"`) },
		"times are not read": func(f string) string {
			return strings.ReplaceAll(strings.ReplaceAll(f, `"startTimeUnixNano"`, `"x"`), `"parentSpanId"`, `"y"`)
		},
	} {
		noticed := false
		for seed := uint64(0); seed < 2000 && !noticed; seed++ {
			for _, as := range []func(*rand.Rand, History) []string{asLog, asSpans} {
				r := rand.New(rand.NewPCG(seed, 4))
				h, monitor := random(r)
				want, _ := byDefinition(h, monitor)
				files := as(r, h)
				for i := range files {
					files[i] = spoil(files[i])
				}
				l, err := read(len(h), files)
				if err != nil {
					t.Fatal(err)
				}
				back, err := l.History(monitor())
				if err != nil {
					t.Fatal(err)
				}
				j, err := Judge(context.Background(), back, monitor, rules, 10_000)
				noticed = noticed || err != nil || j.Verdict != want
			}
		}
		if !noticed {
			t.Errorf("not noticed: %s", name)
		}
	}
}

type (
	granted struct {
		Client int
		Of     []string
	}
	hidden  struct{ name string }
	anybody struct{ Who any }
	counter struct {
		Events_ []any
		Got     []any
	}
)

func (c *counter) Events() []any                      { return c.Events_ }
func (c *counter) Observe(_ sim.NodeID, ev any) error { c.Got = append(c.Got, ev); return nil }
func (h *hidden) String() string                      { return h.name }

// Events that a service logs through a Handler are read unchanged.
func TestHandler_WritesLogs(t *testing.T) {
	var out bytes.Buffer
	log := slog.New(NewHandler(slog.NewJSONHandler(&out, nil))).With("node", 1)
	want := granted{3, []string{"a\n", ""}}
	log.Info("given", "event", want, "id", 7)
	log.With("event", "no event").WithGroup("g").Info("other", "event", want)
	log.Debug("below the level", "event", want)
	l, err := read(2, []string{out.String()})
	if err != nil {
		t.Fatal(err)
	}
	h, err := l.History(&counter{Events_: []any{granted{}}})
	if err != nil || h.Len() != 1 || !reflect.DeepEqual(h[1][0].Event, want) || h[1][0].Step != 1 {
		t.Errorf("%+v, %v\n%s", h, err, out.String())
	}
	if unheard, err := l.Unheard(&counter{}, &counter{Events_: []any{1}}); err != nil || !slices.Equal(unheard, []string{"observe.granted (1)"}) {
		t.Errorf("%q, %v", unheard, err)
	}
	if unheard, err := l.Unheard(&counter{Events_: []any{granted{}}}); err != nil || unheard != nil {
		t.Errorf("%q, %v", unheard, err)
	}
	if gaps := l.Gaps(); len(gaps) != 1 || !strings.Contains(gaps[0], "events without a type") {
		t.Errorf("%q", gaps)
	}
	out.Reset()
	slog.New(NewHandler(slog.NewTextHandler(&out, nil))).Info("given", "event", want)
	if !strings.Contains(out.String(), `event.type=observe.granted event.value="{\"Client\":3`) {
		t.Error(out.String())
	}
}

// A monitor in the process gets the logged events, and its violation is logged once.
func TestHandler_CallsMonitors(t *testing.T) {
	var out bytes.Buffer
	table := &[3][3]int{{1, 0, 0}, {1, -1, 0}, {0, 0, 0}}
	base := slog.New(NewHandler(slog.NewTextHandler(&out, nil), func() sim.Monitor { return &letters{automaton{table: table}} }))
	log := base.With("node", 2)
	for _, e := range []int{2, 0, 1, 1} {
		log.Info("it", "event", e)
	}
	if n := strings.Count(out.String(), "monitor violated"); n != 0 { // numbers do not have kind any
		t.Errorf("reported %d times", n)
	}
	for _, e := range []int{2, 0, 1, 1} {
		log.Info("it", slog.Attr{Key: "event", Value: slog.AnyValue(letter(e))})
	}
	if n := strings.Count(out.String(), `level=ERROR msg="monitor violated"`); n != 1 || !strings.Contains(out.String(), `node=2 monitor="monitor letters" message=violated by=observe.letter1`) {
		t.Errorf("reported %d times:\n%s", n, out.String())
	}
}

// letter is an event of automata. Loggers have separate kinds for numbers.
type letter int

type letters struct{ automaton }

func (l *letters) Observe(from sim.NodeID, event any) error {
	return l.automaton.Observe(from, int(event.(letter)))
}

func TestBadLogs(t *testing.T) {
	many := []any{granted{}}
	for _, c := range []struct {
		name, text string
		events     []any
		err, gap   string
	}{
		{name: "no node", text: `{"event":{"type":"a","value":1}}`, err: "f0:1: a record with event, id or after needs node"},
		{name: "no such node", text: `{"node":2,"id":1}`, err: "node is 2, but the system has nodes 0 to 1"},
		{name: "a name for a node", text: `{"node":"n1","id":1}`, err: `node is "n1", want the number`},
		{name: "an id twice", text: "{\"node\":0,\"id\":1}\n{\"node\":1,\"id\":1}", err: `f0:2: id "1" is also that of the record at f0:1`},
		{name: "keys of others", text: `{"node":0,"id":1,"Node":"worker-7","ID":7,"Event":"x","After":8}` + "\n" + `{"node":0,"id":2,"Node":"worker-7","ID":7,"ResourceSpans":1}`},
		{name: "no id", text: `{"node":0,"id":{}}`, err: "id: {} is neither a text nor a number"},
		{name: "no list of ids", text: `{"node":0,"after":[[1]]}`, err: "after: [1] is neither"},
		{name: "a circle", text: "{\"node\":0,\"id\":1,\"after\":2}\n{\"node\":1,\"id\":2,\"after\":1}",
			err: "the order of records is cyclic, at f0:1, f0:2"},
		{name: "after itself", text: "{\"node\":0,\"after\":2}\n{\"node\":0,\"id\":2}", err: "cyclic, at f0:1"},
		{name: "another field", text: `{"node":0,"event":{"type":"observe.granted","value":{"Clint":1}}}`,
			err: `f0:1: the value of an event is not a observe.granted: json: unknown field "Clint"`},
		{name: "another type", text: `{"node":0,"event":{"type":"observe.granted","value":{"Client":"x"}}}`,
			err: "the value of an event is not a observe.granted"},
		{name: "what nobody looks at", text: `{"node":0,"event":{"type":"other","value":{"Client":"x"}}}`},
		{name: "a hidden field", events: []any{hidden{}},
			err: "a observe.hidden does not survive JSON encoding: field name of observe.hidden is not exported"},
		{name: "an interface", events: []any{anybody{}}, err: "it holds a interface {}"},
		{name: "two of a name", events: []any{granted{}, other()}, err: "two types of events that are named observe.granted"},
		{name: "lines between", text: "panic: x\n\n{\"node\":0,\"id\":1}\n\ngoroutine 1\n",
			gap: "lines that are not JSON objects: 2, the first at f0:1"},
		{name: "a line that was cut", text: "{\"node\":0,\"id\":1}\n{\"node\":0,\"i", gap: "not JSON objects: 1, the first at f0:2"},
		{name: "a cause that is nowhere", text: `{"node":0,"after":["x",2.5]}`, gap: `records that come after one that is not in the log: 2, the first "x" of f0:1`},
		{name: "links at one time", text: `{"resourceSpans":[{"resource":{"attributes":[{"key":"node","value":{"intValue":0}}]},"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b","startTimeUnixNano":5,"links":[{"traceId":"a","spanId":"c"}]},{"traceId":"a","spanId":"c","startTimeUnixNano":5}]}]}]}`},
		{name: "a span without node", text: `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b"}]}]}]}`, err: "span b: neither it nor its resource has an attribute node"},
		{name: "a node by name", text: `{"resourceSpans":[{"resource":{"attributes":[{"key":"node","value":{"stringValue":"0"}}]}}]}`,
			err: "attribute node is not an integer"},
		{name: "a value that is no JSON", text: `{"resourceSpans":[{"resource":{"attributes":[{"key":"node","value":{"intValue":"0"}}]},"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b","attributes":[{"key":"event.type","value":{"stringValue":"x"}},{"key":"event.value","value":{"stringValue":"{"}}]}]}]}]}`, err: `attribute event.value is "{", want JSON`},
		{name: "traces and records",
			text: "{\"node\":0,\"id\":1}\n" +
				`{"resourceSpans":[{"resource":{"attributes":[{"key":"node","value":{"intValue":0}}]},"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b"}]}]}]}`,
			err: "node 0 has both traces and other records"},
		{name: "a parent that is nowhere", text: `{"resourceSpans":[{"resource":{"attributes":[{"key":"node","value":{"intValue":0}}]},"scopeSpans":[{"spans":[{"traceId":"a","spanId":"b","parentSpanId":"c"}]}]}]}`, gap: `not in the log: 1, the first "a/c"`},
	} {
		if c.events == nil {
			c.events = many
		}
		l, err := read(2, []string{c.text})
		var gaps []string
		if err == nil {
			gaps = l.Gaps()
			_, err = l.History(&counter{Events_: c.events})
		}
		if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		}
		if got := strings.Join(gaps, "; "); c.err == "" && (c.gap == "") != (got == "") || !strings.Contains(got, c.gap) {
			t.Errorf("%s: gaps %q, want %q", c.name, got, c.gap)
		}
	}
	_, err := NewLog(1).History(nobody{})
	if err == nil || !strings.Contains(err.Error(), "monitor nobody does not declare the events that it observes") {
		t.Error(err)
	}
}

func other() any {
	type granted struct{}
	return granted{}
}

// nobody is a monitor that does not declare the events that it observes.
type nobody struct{}

func (nobody) Observe(sim.NodeID, any) error { return nil }

// An invalid log is an error or a gap, and never a panic.
func FuzzLog(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 4 {
		h, _ := random(r)
		f.Add(strings.Join(asLog(r, h), ""))
		f.Add(strings.Join(asSpans(r, h), ""))
	}
	f.Fuzz(func(t *testing.T, text string) {
		l, err := read(3, []string{text})
		if err != nil {
			return
		}
		h, err := l.History(&automaton{})
		if err != nil {
			return
		}
		l.Gaps()
		for node, list := range h {
			for i, a := range list {
				if a.After[node] != i {
					t.Fatalf("announcement %d of node %d comes after %v", i, node, a.After)
				}
				for other, n := range a.After {
					if n > len(h[other]) {
						t.Fatalf("announcement %d of node %d comes after %v", i, node, a.After)
					}
				}
			}
		}
	})
}
