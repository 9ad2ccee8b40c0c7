package eventkind_test

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/sim"
)

func TestKind_EntriesAreComplete(t *testing.T) {
	weights := []string{"action", "message", "timer", "consequence", "fault"}
	classes := []string{"messages", "timers", "actions", "errors", "faults"}
	all := eventkind.Strike
	for f := range sim.FaultCount {
		if f.Event().OfProgram() {
			all++
		}
	}
	if kinds := slices.Collect(eventkind.All()); len(kinds) != int(all) {
		t.Errorf("there are %d kinds, want %d", len(kinds), all)
	}
	for k := range eventkind.All() {
		s := k.Presentation()
		if s.Sentence == "" || s.Lane == "" || !slices.Contains(weights, s.Weight) || !slices.Contains(classes, s.Class) {
			t.Errorf("%v: %+v; want a sentence, a label, a weight of %q and a class of %q", k, *s, weights, classes)
		}
		if k.Injection() != (s.Weight == "fault") || k.Injection() != (s.Process == "") || k.Injection() && s.Class != "faults" {
			t.Errorf("%v injects a fault: %v; its weight is %s, its class %s, its process %q", k, k.Injection(), s.Weight, s.Class, s.Process)
		}
		if got, ok := eventkind.Parse(k.String()); !ok || got != k || k.String() == "" {
			t.Errorf("Parse(%q) = %v, %v, want %d", k.String(), got, ok, k)
		}
		if k.OfMessage() && !k.OfNetwork() && k != eventkind.Deliver {
			t.Errorf("%v strikes a message, but does not change the network", k)
		}
		if takes := k == eventkind.Deliver || k == eventkind.Lose; takes != (k.Consumed() == 1) {
			t.Errorf("%v consumes %d messages; want one of Deliver and Lose, and none of others", k, k.Consumed())
		}
		strikes := k.OfMessage() && k.Injection()
		if strikes != (eventkind.Lose <= k && k < eventkind.Break) || strikes != (s.Struck != "") {
			t.Errorf("%v: strikes a message: %v, Struck %q; want Struck set exactly for kinds from Lose to before Break that strike one",
				k, strikes, s.Struck)
		}
		parts := 0
		for _, strikes := range []bool{k.TakesDown(), k.OfNetwork(), k.OfProgram()} {
			if strikes {
				parts++
			}
		}
		if k.Injection() && parts != 1 {
			t.Errorf("%v strikes %d of a node, the network and a program, want 1", k, parts)
		}
	}
	if k, ok := eventkind.Parse("eat"); ok {
		t.Errorf("Parse of an unknown word gave %v", k)
	}
}
