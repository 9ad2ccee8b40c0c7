package stepinfo_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Only datagrams are lost, and no two cuts are the same.
func TestAppendCuts(t *testing.T) {
	var effects []stepinfo.Effect
	for _, k := range []stepinfo.EffectKind{stepinfo.SendEffect, stepinfo.SetTimerEffect, stepinfo.WriteEffect,
		stepinfo.SendEffect, stepinfo.StreamEffect} {
		effects = append(effects, stepinfo.Effect{Kind: k})
	}
	for _, c := range []struct {
		matters func(stepinfo.EffectKind) bool
		want    []stepinfo.Cut
	}{
		{stepinfo.EffectKind.SurvivesCrash,
			[]stepinfo.Cut{{At: 0, Lost: 0}, {At: 2, Lost: 0}, {At: 3, Lost: 0}, {At: 3, Lost: 1}, {At: 5, Lost: 1}}},
		{stepinfo.EffectKind.VisibleAfterHalt, []stepinfo.Cut{{At: 0, Lost: 0}, {At: 3, Lost: 0}, {At: 5, Lost: 1}}},
	} {
		if got := stepinfo.AppendCuts(nil, sim.CutSubset, effects, c.matters); !slices.Equal(got, c.want) {
			t.Errorf("got %v, want %v", got, c.want)
		}
	}
	all := slices.Repeat([]stepinfo.Effect{{Kind: stepinfo.SendEffect}}, kernel.MostCut)
	seen := map[string]bool{}
	for _, c := range stepinfo.AppendCuts(nil, sim.CutSubset, all, stepinfo.EffectKind.SurvivesCrash) {
		s := stepinfo.Step{Effects: all, Applied: c.At, Lost: c.Lost}
		text := ""
		for i := range all {
			if s.Happened(i) {
				text += fmt.Sprint(i, " ")
			}
		}
		seen[text] = true
	}
	if want := 1<<kernel.MostCut - 1; len(seen) != want {
		t.Errorf("%d ways, want %d", len(seen), want)
	}
}

// Failures can make a difference in steps with an effect that a cut would be made before, and in no other.
func TestStep_Cuttable(t *testing.T) {
	cuttable := []stepinfo.EffectKind{stepinfo.SendEffect, stepinfo.WriteEffect, stepinfo.SyncEffect, stepinfo.AnnounceEffect}
	for k := range stepinfo.CallEffect + 1 {
		s := stepinfo.Step{Effects: []stepinfo.Effect{{Kind: stepinfo.LogEffect}, {Kind: k}}}
		if got, want := s.Cuttable(), slices.Contains(cuttable, k); got != want {
			t.Errorf("a step with the effect %v: got cuttable %v, want %v", k, got, want)
		}
		if k.VisibleAfterHalt() && !k.SurvivesCrash() {
			t.Errorf("%v is visible after a halt, and does not survive a crash", k)
		}
	}
}

// A step that was reset equals a new one, and keeps the memory of its slices.
func TestStep_Reset(t *testing.T) {
	var s stepinfo.Step
	v := reflect.ValueOf(&s).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); f.Kind() {
		case reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 3, 3))
		case reflect.Bool:
			f.SetBool(true)
		case reflect.String:
			f.SetString("text")
		case reflect.Int:
			f.SetInt(7)
		case reflect.Uint16:
			f.SetUint(7)
		case reflect.Interface:
			f.Set(reflect.ValueOf("timer"))
		case reflect.Struct: // the event
			f.FieldByName("Node").SetInt(7)
		default:
			t.Fatalf("the test lacks a value for the field %s", v.Type().Field(i).Name)
		}
	}
	ev := netmodel.Event{Kind: eventkind.Deliver, Node: 1, Peer: 2, Slot: 3, Msgs: 4}
	s.Reset(&ev)
	if s.Event != ev {
		t.Errorf("got the event %+v, want %+v", s.Event, ev)
	}
	for i := range v.NumField() {
		f, name := v.Field(i), v.Type().Field(i).Name
		switch {
		case name == "Event":
		case f.Kind() == reflect.Slice:
			if f.Len() != 0 || f.Cap() != 3 {
				t.Errorf("%s: got length %d and capacity %d, want 0 and 3", name, f.Len(), f.Cap())
			}
		case !f.IsZero():
			t.Errorf("%s: got %v, want its zero value", name, f)
		}
	}
}

func TestLabel_String(t *testing.T) {
	for _, c := range []struct {
		label     stepinfo.Label
		head, key string
	}{
		{stepinfo.Label{Event: netmodel.Event{Kind: eventkind.Boot, Node: 12, Peer: -1}}, "boot n12", "boot n12"},
		{stepinfo.Label{Event: netmodel.Event{Kind: eventkind.Heal, Node: -1, Peer: -1}, Content: "n0 | n1"}, "heal", "heal n0 | n1"},
		{stepinfo.Label{Event: netmodel.Event{Kind: eventkind.Deliver, Node: 1, Peer: 0}, Carrier: "stream", Content: "vote{}"},
			"deliver n1<-n0", "deliver n1<-n0 stream vote{}"},
		{stepinfo.Label{Event: netmodel.Event{Kind: eventkind.Crash, Node: 2, Peer: -1}, Process: []sim.NodeID{2}}, "crash n2", "crash n2"},
		{stepinfo.Label{Event: netmodel.Event{Kind: eventkind.Crash, Node: 2, Peer: -1}, Process: []sim.NodeID{0, 2, 5}},
			"crash n0 with n2, n5", "crash n0 with n2, n5"},
		{stepinfo.Label{Event: netmodel.Event{Kind: eventkind.TakeQuorum, Node: 0, Peer: -1}, Content: "a majority",
			Set: []sim.From[string]{{From: 2, Msg: `Reply{Text:"} <-n7 "}`}, {From: 11, Msg: `Reply{Inner:{A:" <-n8 "}}`}}},
			"quorum n0", `quorum n0 a majority <-n2 Reply{Text:"} <-n7 "} <-n11 Reply{Inner:{A:" <-n8 "}}`},
	} {
		if got := c.label.Head(); got != c.head {
			t.Errorf("got the head %q, want %q", got, c.head)
		}
		if got := c.label.String(); got != c.key {
			t.Errorf("got the key %q, want %q", got, c.key)
		}
	}
}
