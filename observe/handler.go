package observe

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"

	"github.com/macemc/macemc/sim"
)

// Keys of the attributes of a record that this package looks at. They are those of the record itself, in no group.
const (
	// NodeKey is the number of the node that logs, usually set by Logger.With.
	NodeKey = "node"
	// EventKey is a Go value that monitors are told of; in JSON an object with its "type", as by [Name], and its "value".
	EventKey = "event"
	// IDKey names what the record is about, for others that come after it: a text or a number, and no other record has it.
	IDKey = "id"
	// AfterKey is the id of a record, or a list of them, that this one comes after.
	AfterKey = "after"
)

// Handler is an [slog.Handler] that has monitors see the events that a process logs, and writes them so that [ReadLog] can read them.
type Handler struct {
	next  slog.Handler
	watch *watch
	node  sim.NodeID
	group bool // the attributes that come are in a group
}

// NewHandler returns a handler in front of next. The value of each attribute event is told to each monitor, as announced by the node of the attribute
// node (0 without one), in the order in which the process logs: of the nodes of several processes no monitor here hears all. What violates a monitor is
// logged once, at the level of errors, and the monitor hears no more. Events must not be changed after they were logged. next is given each event
// with the name of its type; records below its level are not looked at.
func NewHandler(next slog.Handler, monitors ...func() sim.Monitor) *Handler {
	w := &watch{}
	for _, m := range monitors {
		w.all = append(w.all, m())
	}
	return &Handler{next: next, watch: w}
}

// watch is the monitors of a handler and those that are made of it.
type watch struct {
	mu  sync.Mutex
	all []sim.Monitor // nil: one that was violated
}

// tell tells all monitors of an event and returns what the handlers say of it.
func (w *watch) tell(from sim.NodeID, event any) (said [][]slog.Attr) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, m := range w.all {
		if m == nil {
			continue
		}
		if err := tell(m, from, event); err != nil {
			said = append(said, []slog.Attr{slog.String("monitor", sim.MonitorName(m)), slog.String("message", err.Error())})
			w.all[i] = nil
		}
	}
	return said
}

// Enabled implements [slog.Handler].
func (h *Handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

// Handle implements [slog.Handler].
func (h *Handler) Handle(ctx context.Context, r slog.Record) error {
	if h.group {
		return h.next.Handle(ctx, r)
	}
	node, events := h.node, []any(nil)
	for a := range r.Attrs {
		switch {
		case a.Key == NodeKey:
			node = nodeOf(a.Value, node)
		case isEvent(a):
			events = append(events, a.Value.Any())
		}
	}
	if events == nil {
		return h.next.Handle(ctx, r)
	}
	out := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	for a := range r.Attrs {
		if isEvent(a) {
			a = attr(a.Value.Any())
		}
		out.AddAttrs(a)
	}
	err := h.next.Handle(ctx, out)
	for _, e := range events {
		for _, said := range h.watch.tell(node, e) {
			v := slog.NewRecord(r.Time, slog.LevelError, "monitor violated", r.PC)
			v.AddAttrs(said...)
			v.AddAttrs(slog.String("by", fmt.Sprintf("%s%+v", Name(e), e)))
			if err == nil {
				err = h.next.Handle(ctx, v)
			}
		}
	}
	return err
}

// isEvent reports whether an attribute is a value of a type that the program has declared.
func isEvent(a slog.Attr) bool {
	return a.Key == EventKey && (a.Value.Kind() == slog.KindAny || a.Value.Kind() == slog.KindLogValuer)
}

// attr is how an event is logged.
func attr(event any) slog.Attr {
	t, err := write(event)
	if err != nil {
		return slog.Group(EventKey, "type", t.Type, "error", err.Error())
	}
	return slog.Group(EventKey, "type", t.Type, "value", readable(t.Value))
}

// readable is JSON that handlers for people show as text.
type readable []byte

func (r readable) MarshalJSON() ([]byte, error) { return json.RawMessage(r), nil }
func (r readable) MarshalText() ([]byte, error) { return r, nil }

func nodeOf(v slog.Value, otherwise sim.NodeID) sim.NodeID {
	switch v = v.Resolve(); v.Kind() {
	case slog.KindInt64:
		return sim.NodeID(v.Int64())
	case slog.KindUint64:
		return sim.NodeID(v.Uint64())
	case slog.KindAny:
		if n, ok := v.Any().(sim.NodeID); ok {
			return n
		}
	}
	return otherwise
}

// WithAttrs implements [slog.Handler].
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := *h
	if !h.group {
		for _, a := range attrs {
			if a.Key == NodeKey {
				out.node = nodeOf(a.Value, out.node)
			}
		}
	}
	out.next = h.next.WithAttrs(slices.Clone(attrs))
	return &out
}

// WithGroup implements [slog.Handler].
func (h *Handler) WithGroup(name string) slog.Handler {
	out := *h
	out.next, out.group = h.next.WithGroup(name), h.group || name != ""
	return &out
}
