package sim_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/sim"
)

func TestFault_EntriesAreComplete(t *testing.T) {
	for f := range sim.FaultCount {
		if f.String() == "" || f.Singular() == "" || f.Doc() == "" || f.Absence() == "" {
			t.Errorf("fault %d: name %q, singular %q, doc %q, absence %q; want all", f, f.String(), f.Singular(), f.Doc(), f.Absence())
		}
		if got, err := sim.ParseFault(f.String()); err != nil || got != f {
			t.Errorf("ParseFault(%q) = %v, %v", f.String(), got, err)
		}
		if got, ok := f.Event().Fault(); !ok || got != f {
			t.Errorf("events that inject %v are of fault %v, %v", f, got, ok)
		}
		var one sim.Limits
		one[f] = 1
		sys, err := sim.System{}.WithLimits(one)
		if f.Event().OfNetwork() != (err != nil) || err == nil && sys.Limits() != one {
			t.Errorf("%v: a system without a network has limits %v, %v", f, sys.Limits(), err)
		}
		var l sim.Limits
		l[f] = sim.MaxFaults + 1
		if err := l.Validate(); err == nil || !strings.Contains(err.Error(), "the limit of ") {
			t.Errorf("%v: Validate() = %v, want an error", f, err)
		}
	}
	if f, err := sim.ParseFault("floods"); err == nil {
		t.Errorf("ParseFault of an unknown name gave %v", f)
	}
}

func TestEventKind_EntriesAreComplete(t *testing.T) {
	injecting := 0
	weights := []string{"action", "message", "timer", "consequence", "fault"}
	classes := []string{"messages", "timers", "actions", "errors", "faults"}
	for k := range sim.EventKindCount {
		s := k.Presentation()
		if s.Sentence == "" || s.Lane == "" || !slices.Contains(weights, s.Weight) || !slices.Contains(classes, s.Class) {
			t.Errorf("%v: %+v; want a sentence, a label, a weight of %q and a class of %q", k, *s, weights, classes)
		}
		if k.Injection() != (s.Weight == "fault") || k.Injection() != (s.Process == "") || k.Injection() && s.Class != "faults" {
			t.Errorf("%v injects a fault: %v; its weight is %s, its class %s, its process %q", k, k.Injection(), s.Weight, s.Class, s.Process)
		}
		if got, ok := simext.ParseEventKind(k.String()); !ok || got != k || k.String() == "" {
			t.Errorf("ParseEventKind(%q) = %v, %v, want %d", k.String(), got, ok, k)
		}
		f, ok := k.Fault()
		if ok != k.Injection() || ok && f.Event() != k {
			t.Errorf("%v injects %v, %v; Injection() = %v", k, f, ok, k.Injection())
		}
		if ok {
			injecting++
		}
		if k.OfMessage() && !k.OfNetwork() && k != sim.Deliver {
			t.Errorf("%v strikes a message, but does not change the network", k)
		}
		if of := [3]bool{k.TakesDown(), k.OfNetwork(), k.OfProgram()}; ok && of != [3]bool{true} && of != [3]bool{1: true} && of != [3]bool{2: true} {
			t.Errorf("%v: TakesDown, OfNetwork and OfProgram are %v, want one of them", k, of)
		}
	}
	if injecting != int(sim.FaultCount) {
		t.Errorf("%d kinds inject faults, want %d", injecting, sim.FaultCount)
	}
	if k, ok := simext.ParseEventKind("eat"); ok {
		t.Errorf("ParseEventKind of an unknown word gave %v", k)
	}
}

func TestLimits_AreAnObjectInJSON(t *testing.T) {
	l := sim.Limits{sim.Crashes: 1, sim.NetErrors: 3}
	text, err := json.Marshal(l)
	if want := `{"crashes":1,"halts":0,"net_errors":3,"loss":0,"dup":0,"partitions":0,"clock_jumps":0,"disk_errors":0,"half_opens":0}`; err != nil || string(text) != want {
		t.Errorf("Marshal = %s, %v, want %s", text, err, want)
	}
	got := sim.Limits{sim.Dup: 7}
	if err := json.Unmarshal(text, &got); err != nil || got != l {
		t.Errorf("Unmarshal = %v, %v, want %v", got, err, l)
	}
	if err := json.Unmarshal([]byte(`{"floods":1}`), &got); err == nil {
		t.Errorf("a limit of no fault was read as %v", got)
	}
	if got, want := l.Max(sim.Limits{sim.Crashes: 2, sim.Dup: 1}).String(), "crashes=2 net-errors=3 dup=1"; got != want {
		t.Errorf("Max = %s, want %s", got, want)
	}
	if got := l.Total(); got != 4 {
		t.Errorf("Total() = %d, want 4", got)
	}
}
