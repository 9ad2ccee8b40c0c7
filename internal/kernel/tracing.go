package kernel

import (
	"context"
	"fmt"
	"log/slog"
	"reflect"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/callsite"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simext"
)

// traceEvent records the messages and the handler of an event before it is executed.
func (w *Machine) traceEvent(ev netmodel.Event) {
	w.last.Msgs = w.Messages(ev, w.last.Msgs)
	w.last.Source = w.handlerSource(ev)
}

// handlerSource returns the file:line of the user's function that handles ev, or "" if there is none.
func (w *Machine) handlerSource(ev netmodel.Event) string {
	var code reflect.Value
	switch ev.Kind {
	case eventkind.DoAction:
		if declared.Carries(w.Members[ev.Node].Service) {
			return "" // until it declares what it runs
		}
		code = reflect.ValueOf(w.Actions[ev.Slot].Types.Do)
	case eventkind.TakeQuorum:
		code = reflect.ValueOf(w.Quorums[w.Members[ev.Node].sets[ev.Slot].quorum].Types.Do)
	default:
		if ev.Kind.Presentation().Method == "" {
			return ""
		}
		s := w.Members[ev.Node].Service
		if s == nil {
			s = w.Sys.New(ev.Node)
			defer declared.Discard(s)
		}
		if declared.Carries(s) {
			return ""
		}
		if _, ok := s.(simext.Hosting); ok {
			return "" // until it declares what it runs
		}
		m, ok := reflect.TypeOf(s).MethodByName(ev.Kind.Presentation().Method)
		if !ok {
			return ""
		}
		code = m.Func
	}
	return callsite.Place(code)
}

// Traced implements [simext.CodeTracer].
func (e *env) Traced() simext.CodeRecord {
	if e.traced {
		return codeRecord{e}
	}
	return nil
}

// codeRecord implements [simext.CodeRecord].
type codeRecord struct{ env *env }

func (r codeRecord) Runs(code any) { r.handles(callsite.Place(reflect.ValueOf(code))) }

func (r codeRecord) At(place string) { r.env.place = place }

func (r codeRecord) Ran(place string) {
	r.env.place = ""
	r.handles(place)
}

// handles records the place of the code that handles the event, unless it is known.
func (r codeRecord) handles(place string) {
	if last := &r.env.w.last; last.Source == "" && r.env.w.Steps > 0 {
		last.Source = place
	}
}

// trace records where an effect was requested.
//
//go:noinline
func (e *env) trace(f *stepinfo.Effect) {
	f.Depth = e.depth()
	if declared.Carries(e.n.Service) {
		f.From = e.place
		return
	}
	f.From = callsite.Of(e.n.Service)
	if _, hosts := e.n.Service.(simext.Hosting); hosts {
		return
	}
	if last := &e.w.last; last.Inner == "" && (last.Event.Kind == eventkind.Deliver || last.Event.Kind == eventkind.FireTimer ||
		last.Event.Kind == eventkind.Internal || last.Event.Kind == eventkind.TakeQuorum) {
		last.Inner = callsite.Innermost(e.n.Service)
	}
}

// traceHandler records log lines of handlers as effects.
type traceHandler struct {
	env  *env
	text contain.LogText
}

func (h *traceHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h *traceHandler) Handle(_ context.Context, r slog.Record) error {
	h.env.use("Log")
	text, from := h.text.Line(r), ""
	if declared.Carries(h.env.n.Service) {
		from = h.env.place
	} else if src := r.Source(); src != nil {
		from = fmt.Sprintf("%s:%d", src.File, src.Line)
	}
	w := h.env.w
	w.last.Effects = append(w.last.Effects,
		stepinfo.Effect{Kind: stepinfo.LogEffect, Peer: -1, Depth: h.env.depth(), Text: text, From: from})
	return nil
}

func (h *traceHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &traceHandler{h.env, h.text.WithAttrs(attrs)}
}

func (h *traceHandler) WithGroup(name string) slog.Handler {
	return &traceHandler{h.env, h.text.WithGroup(name)}
}
