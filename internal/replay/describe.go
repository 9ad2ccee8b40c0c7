package replay

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

// took describes the last step.
func (rec *recorder) took(s *TraceStep) {
	w, t := rec.run.World, rec.trace
	last := w.Last()
	s.place, s.Crashed, s.Halted = rec.source(last), last.Crashed, last.Halted
	s.Source = rec.places.Short(s.place)
	s.Choices = slices.Clone(last.Answers)
	for _, m := range last.Msgs {
		s.Msgs = append(s.Msgs, rec.words.text(m.Msg))
		s.MsgIDs = append(s.MsgIDs, int(m.ID))
	}
	for i, e := range last.Effects {
		s.Effects = append(s.Effects, rec.effect(s.Node, e, last.Happened(i)))
	}
	for _, id := range last.With {
		s.With = append(s.With, int(id))
	}
	if s.Crashed && !s.Halted || s.Event.Kind == eventkind.Crash && s.Number > 0 {
		s.left(rec.kept)
	}
	for _, m := range last.Sent {
		rec.message(m, s.Number)
	}
	for _, f := range last.Fates {
		m := t.Message(int(f.ID))
		if m == nil {
			continue
		}
		m.Fates = append(m.Fates, TraceFate{s.Number, f.Fate, f.Fate.String()})
		m.InFlight = f.Fate == netmodel.Duplicated
		if f.Copy > 0 {
			c := *m
			c.ID, c.CopyOf, c.Sent, c.Fates = int(f.Copy), m.ID, s.Number, nil
			rec.concern(s, m.ID, m.Text)
			t.Messages = append(t.Messages, c)
		}
	}
	if len(s.Msgs) > 0 && s.Event.Kind != eventkind.TakeQuorum {
		rec.concern(s, s.MsgIDs[0], s.Msgs[0])
	}
}

// source returns the place of the code that handled the event of a step, or of a failed assertion.
func (rec *recorder) source(last *stepinfo.Step) string {
	switch {
	case last.Failed != "":
		return last.Failed
	case last.Event.Kind == eventkind.Deliver && len(last.Msgs) > 0:
		return cmp.Or(rec.places.handled(last.Source, last.Msgs[0].Msg), last.Inner, last.Source)
	case last.Event.Kind == eventkind.FireTimer:
		return cmp.Or(rec.places.handled(last.Source, last.Timer), last.Inner, last.Source)
	}
	return last.Source
}

// concern sets the message that the event of the step delivers, drops or duplicates.
func (rec *recorder) concern(s *TraceStep, id int, text string) {
	s.Concerns, s.What = id, what(&rec.label, text)
}

// message records a new message.
func (rec *recorder) message(m sim.Envelope, sent int) {
	c, ok := m.Msg.(simext.Control)
	rec.trace.Messages = append(rec.trace.Messages, TraceMessage{
		ID: int(m.ID), From: int(m.From), To: int(m.To), Text: rec.words.text(m.Msg), Stream: m.Stream, Control: ok && c.Control(), Sent: sent,
		InFlight: true,
	})
}

// describe describes the state after a step.
func (rec *recorder) describe(s *TraceStep) {
	w := rec.run.World
	s.Hash = fmt.Sprintf("%016x%016x", w.Fingerprint().Hi, w.Fingerprint().Lo)
	s.Failing, s.Live = rec.evaluateProperties()
}

// evaluateProperties evaluates the properties. It returns those that do not hold, and whether all Eventually properties hold.
func (rec *recorder) evaluateProperties() (failing []string, live bool) {
	props := rec.run.World.System().Properties
	live = true
	numbers, found := Evaluate(rec.run.World)
	for _, i := range numbers {
		p := &props[i]
		if p.Sometimes == nil {
			failing = append(failing, p.Name)
		}
		live = live && p.Eventually == nil
	}
	if found != nil {
		_ = rec.found(found) // keeps a finding, so it returns nil
	}
	return failing, live
}

func (rec *recorder) nodeHashes() []encoding.Fingerprint {
	hashes := make([]encoding.Fingerprint, len(rec.kept))
	for id := range hashes {
		hashes[id] = rec.run.World.NodeFingerprint(sim.NodeID(id))
	}
	return hashes
}

func propertyKind(p *sim.Property) string {
	switch {
	case p.Always != nil:
		return "always"
	case p.Eventually != nil:
		return "eventually"
	case p.Inevitably != nil:
		return "inevitably"
	}
	return "sometimes"
}

// effect describes an effect on a node, or on -1 for the first boots.
func (rec *recorder) effect(node int, e stepinfo.Effect, applied bool) TraceEffect {
	t := TraceEffect{Kind: e.Kind.String(), Peer: -1, Text: e.Text, From: rec.places.Short(e.From), place: e.From, Applied: applied, Depth: int(e.Depth)}
	switch e.Kind {
	case stepinfo.SendEffect, stepinfo.StreamEffect, stepinfo.RefusedEffect:
		t.Peer, t.Text, t.MsgID = int(e.Peer), rec.words.text(e.Msg.Body), int(e.Msg.ID)
	case stepinfo.CloseEffect:
		t.Peer = int(e.Peer)
	case stepinfo.SetTimerEffect, stepinfo.StopTimerEffect:
		t.Text = rec.words.exact(e.Value)
	case stepinfo.AnnounceEffect:
		t.Text = rec.words.text(e.Value)
	case stepinfo.CallEffect:
		c := e.Value.(stepinfo.Call)
		for i, a := range c.Args {
			c.Args[i] = Brief(a)
		}
		t.Text = c.String()
		t.Call = &TraceCall{Caller: c.Caller, Service: c.Service, Name: c.Name, Args: c.Args}
		if c.Caller == "" && node >= 0 {
			t.Call.Caller = rec.trace.Names[node]
		}
	}
	return t
}

// nodeNames returns the declared name of each node, or else the type of its service with a lower-case first letter.
func nodeNames(sys *sim.System) []string {
	names := make([]string, sys.Nodes)
	for id := range names {
		if sys.NodeName != nil {
			names[id] = sys.NodeName(sim.NodeID(id))
			continue
		}
		s := sys.New(sim.NodeID(id))
		defer declared.Discard(s)
		if h, ok := s.(simext.Hosting); ok {
			names[id], _, _ = h.Hosted()
			continue
		}
		t := reflect.TypeOf(s)
		for t != nil && t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t != nil {
			names[id] = lowerFirst(t.Name())
		}
	}
	return names
}

func lowerFirst(s string) string {
	r := []rune(s)
	// A leading abbreviation becomes lower-case as a whole: "TCPServer" gives "tcpServer".
	for i := range r {
		if i > 0 && i+1 < len(r) && unicode.IsLower(r[i+1]) {
			break
		}
		if !unicode.IsUpper(r[i]) {
			break
		}
		r[i] = unicode.ToLower(r[i])
	}
	return strings.TrimSpace(string(r))
}
