package sim_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/sim"
)

func TestFault_EntriesAreComplete(t *testing.T) {
	of := map[eventkind.Kind]sim.Fault{}
	for f := range sim.FaultCount {
		if f.String() == "" || f.Singular() == "" || f.Doc() == "" || f.Absence() == "" {
			t.Errorf("fault %d: name %q, singular %q, doc %q, absence %q; want all", f, f.String(), f.Singular(), f.Doc(), f.Absence())
		}
		if got, err := sim.ParseFault(f.String()); err != nil || got != f {
			t.Errorf("ParseFault(%q) = %v, %v", f.String(), got, err)
		}
		if other, twice := of[f.Event()]; twice || !f.Event().Injection() {
			t.Errorf("%v: events of kind %v inject %v, too, or no fault", f, f.Event(), other)
		}
		of[f.Event()] = f
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
	for k := range eventkind.All() {
		if _, ok := of[k]; k.Injection() != ok {
			t.Errorf("events of kind %v inject a fault, but no fault has that kind", k)
		}
	}
	if f, err := sim.ParseFault("floods"); err == nil {
		t.Errorf("ParseFault of an unknown name gave %v", f)
	}
}

func TestLimits_AreAnObjectInJSON(t *testing.T) {
	l := sim.Limits{sim.Crashes: 1, sim.NetErrors: 3}
	text, err := json.Marshal(l)
	const want = `{"crashes":1,"halts":0,"net_errors":3,"loss":0,"dup":0,"partitions":0,"clock_jumps":0,"disk_errors":0,"half_opens":0,` +
		`"lost_syncs":0,"bit_flips":0,"accept_errors":0`
	if err != nil || !strings.HasPrefix(string(text), want) {
		t.Errorf("Marshal = %s, %v, want %s first", text, err, want)
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
