package etcdraft

import (
	"bytes"
	"encoding/hex"
	"log/slog"
	"strings"
	"testing"

	"github.com/macemc/macemc/macetime"
	"github.com/macemc/macemc/observe"
	"github.com/macemc/macemc/sim"
)

// told is an event with its announcer.
type told struct {
	from  sim.NodeID
	event any
}

// tell passes all events to a monitor. want is a part of its error for the last one; empty if it accepts that, too.
func tell(t *testing.T, m sim.Monitor, want string, events ...told) {
	t.Helper()
	for i, e := range events {
		err := m.Observe(e.from, e.event)
		switch {
		case err != nil && (want == "" || i < len(events)-1):
			t.Errorf("%+v: %v", e, err)
		case want != "" && i == len(events)-1 && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%+v: got %v, want %q", e, err, want)
		}
	}
}

func TestLeaders(t *testing.T) {
	first := []told{{0, Elected{Term: 2}}, {1, Elected{Term: 3}}, {0, Elected{Term: 2}}}
	tell(t, newLeaders(), "", first...)
	tell(t, newLeaders(), "node 2 leads in term 3, in which node 1 has led", append(first, told{2, Elected{Term: 3}})...)
}

func TestCommitted(t *testing.T) {
	applied := []told{
		{0, Applied{Index: 1, Term: 2, By: 2}},
		{0, Applied{Index: 2, Term: 2, By: 4, Data: ""}},
		{1, Applied{Index: 1, Term: 2, By: 5}},
	}
	for _, c := range []struct {
		last told
		want string
	}{
		{told{1, Applied{Index: 2, Term: 2, By: 5}}, ""},
		{told{1, Applied{Index: 2, Term: 3, By: 5}}, "state-machine safety: node 1 applied entry 2 of term 3"},
		{told{1, Applied{Index: 4, Term: 3, By: 5}}, "node 1 applied entry 4, nobody has applied entry 3"},
		{told{2, Elected{5, []uint64{2, 2, 5}}}, ""},
		// Entry 2 was committed in term 4 at the latest, maybe not before.
		{told{2, Elected{4, []uint64{2, 3}}}, ""},
		{told{2, Elected{3, []uint64{2}}}, ""},
		{told{2, Elected{3, nil}}, "leader completeness: node 2 leads in term 3 without entry 1 of term 2"},
		{told{2, Elected{5, []uint64{2, 3}}}, "without entry 2 of term 2, which was applied in term 4"},
	} {
		tell(t, newCommitted(), c.want, append(applied[:len(applied):len(applied)], c.last)...)
	}
}

func TestHistory(t *testing.T) {
	op := func(client int, count uint64, key int, write bool) Op {
		return Op{macetime.MonotoneTime{Node: client, Count: count}, key, write}
	}
	var (
		w0, w1 = op(0, 1, 0, true), op(1, 1, 0, true)
		r2, r3 = op(2, 1, 0, false), op(2, 2, 0, false)
		x1     = op(1, 1, 1, true) // of another register
	)
	begin := func(o Op) told { return told{0, Invoked{o}} }
	end := func(o Op) told { return told{0, Returned{Op: o}} }
	sees := func(o, w Op) told { return told{0, Returned{o, w.ID}} }
	none := Op{}
	for name, c := range map[string]struct {
		ok     bool
		events []told
	}{
		"a write that returned is read":              {true, []told{begin(w0), end(w0), begin(r2), sees(r2, w0)}},
		"a write that returned is missed":            {false, []told{begin(w0), end(w0), begin(r2), sees(r2, none)}},
		"a write meanwhile may be missed":            {true, []told{begin(r2), begin(w0), end(w0), sees(r2, none)}},
		"a write that never returns may happen":      {true, []told{begin(w0), begin(r2), sees(r2, w0)}},
		"a write that never returns may happen late": {true, []told{begin(w0), begin(r2), sees(r2, none), begin(r3), sees(r3, w0)}},
		"time does not go back":                      {false, []told{begin(w0), begin(r2), sees(r2, w0), begin(r3), sees(r3, none)}},
		"writes in either order":                     {true, []told{begin(w0), begin(w1), end(w1), end(w0), begin(r2), sees(r2, w1)}},
		"an old write":                               {false, []told{begin(w0), end(w0), begin(w1), end(w1), begin(r2), sees(r2, w0)}},
		"registers are apart":                        {true, []told{begin(w0), end(w0), begin(x1), end(x1), begin(r2), sees(r2, w0)}},
		"what nobody wrote":                          {false, []told{begin(r2), sees(r2, w1)}},
		"a read that never returns":                  {true, []told{begin(r2), begin(w0), end(w0), begin(r3), sees(r3, w0)}},
	} {
		t.Run(name, func(t *testing.T) {
			want := ""
			if !c.ok {
				want = "linearizable reads"
			}
			tell(t, newHistory(), want, c.events...)
		})
	}
}

func TestOpEncoding(t *testing.T) {
	for _, o := range []Op{
		{},
		{macetime.MonotoneTime{Node: 4, Count: 1 << 40}, 2, true},
		{macetime.MonotoneTime{Node: 300, Count: 127}, 200, false},
	} {
		if got := decodeOp(encodeOp(o)); got != o {
			t.Errorf("%+v became %+v", o, got)
		}
	}
}

// Violations are also detected in logs: JSON preserves the events. Each is logged by the node of its index, the last
// two by the same.
func TestObserved(t *testing.T) {
	read, write := Op{macetime.MonotoneTime{Node: 1, Count: 300}, 0, false}, Op{macetime.MonotoneTime{Node: 1, Count: 301}, 1, true}
	applied := Applied{Index: 1, Term: 2, By: 2, Data: hex.EncodeToString(encodeOp(write))}
	other := applied
	other.Data = ""
	for _, c := range []struct {
		name    string
		monitor func() sim.Monitor
		want    string
		events  []any
	}{
		{"one leader", newLeaders, "leads in term 3", []any{Elected{Term: 3}, Elected{Term: 3, Log: []uint64{1}}, Elected{Term: 4}}},
		{"one entry", newCommitted, "write 1.301 of register 1", []any{applied, other, Elected{Term: 1}}},
		{"leader completeness", newCommitted, "", []any{applied, Elected{Term: 2}, applied}},
		{"linearizable reads", newHistory, "", []any{Invoked{write}, Invoked{read}, Returned{read, Value{}}}},
		{"a value that nobody wrote", newHistory, "linearizable reads", []any{Invoked{write}, Invoked{read}, Returned{read, Value{Node: 2, Count: 1}}}},
		{"an end without a beginning", newHistory, "the monitor panics", []any{Invoked{write}, Invoked{write}, Returned{read, Value{}}}},
	} {
		var text bytes.Buffer
		logger := slog.New(observe.NewHandler(slog.NewJSONHandler(&text, nil), c.monitor))
		for i, event := range c.events {
			logger.Info(c.name, "node", min(i, 1), "event", event)
		}
		log := observe.NewLog(2)
		if err := log.Read(c.name, &text); err != nil {
			t.Fatal(err)
		}
		history, err := log.History(c.monitor())
		if err != nil {
			t.Fatal(err)
		}
		if unheard, err := log.Unheard(c.monitor()); err != nil || unheard != nil {
			t.Errorf("%s: unheard %v, %v", c.name, unheard, err)
		}
		j, err := observe.Judge(t.Context(), history, c.monitor, rules(), 1000)
		if err != nil {
			t.Fatal(err)
		}
		if (j.Verdict == observe.None) != (c.want == "") || !j.All || !strings.Contains(j.Message, c.want) {
			t.Errorf("%s: %+v", c.name, j)
		}
	}
}
