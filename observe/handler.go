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

// Keys of the record attributes that this package reads. They must be attributes of the record itself, outside of
// groups.
const (
	// nodeKey is the number of the logging node, usually set by Logger.With.
	nodeKey = "node"
	// eventKey is an event for monitors, as a Go value; in JSON an object with its "type", as in [Name], and its
	// "value".
	eventKey = "event"
	// idKey is the unique id of the record, for records that come after it: a text or a number.
	idKey = "id"
	// afterKey is the id of a record, or a list of ids, that must precede this one.
	afterKey = "after"
)

// Handler is an [slog.Handler] that passes the events that a process logs to monitors, and writes them in the
// format of [Log.Read].
type Handler struct {
	next  slog.Handler
	watch *watch
	node  sim.NodeID
	group bool // attributes are inside a group
}

// NewHandler returns a handler in front of next. It passes the value of each event attribute to each monitor, as
// announced by the node in the node attribute (default 0), in the process's logging order. With nodes in several
// processes no monitor sees all events. A violation is logged once, at error level, and ends the monitor. Events
// must not be changed after they were logged. Next gets each event with the name of its type. Records below the
// level of next are ignored.
func NewHandler(next slog.Handler, monitors ...func() sim.Monitor) *Handler {
	w := &watch{}
	for _, m := range monitors {
		w.all = append(w.all, m())
	}
	return &Handler{next: next, watch: w}
}

// watch holds the monitors of a handler and of the handlers derived from it.
type watch struct {
	mu  sync.Mutex
	all []sim.Monitor // nil for a violated monitor
}

// notify passes an event to all monitors and returns the attributes of their violations.
func (w *watch) notify(from sim.NodeID, event any) (violations [][]slog.Attr) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, m := range w.all {
		if m == nil {
			continue
		}
		if err := notify(m, from, event); err != nil {
			violations = append(violations, []slog.Attr{slog.String("monitor", sim.MonitorName(m)), slog.String("message", err.Error())})
			w.all[i] = nil
		}
	}
	return violations
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
		case a.Key == nodeKey:
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
		for _, violation := range h.watch.notify(node, e) {
			v := slog.NewRecord(r.Time, slog.LevelError, "monitor violated", r.PC)
			v.AddAttrs(violation...)
			v.AddAttrs(slog.String("by", fmt.Sprintf("%s%+v", Name(e), e)))
			if err == nil {
				err = h.next.Handle(ctx, v)
			}
		}
	}
	return err
}

// isEvent reports whether an attribute is a value of a declared type.
func isEvent(a slog.Attr) bool {
	return a.Key == eventKey && (a.Value.Kind() == slog.KindAny || a.Value.Kind() == slog.KindLogValuer)
}

// attr returns the log attribute of an event.
func attr(event any) slog.Attr {
	t, err := write(event)
	if err != nil {
		return slog.Group(eventKey, "type", t.Type, "error", err.Error())
	}
	return slog.Group(eventKey, "type", t.Type, "value", readable(t.Value))
}

// readable is JSON that text handlers show as text.
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
			if a.Key == nodeKey {
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
