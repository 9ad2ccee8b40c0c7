package replay

import (
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/eventkind"
)

func TestAlign_SameOccurrenceOfSameEvent(t *testing.T) {
	deliver := func(m string) Occurrence { return Occurrence{"deliver " + m, eventkind.Deliver} }
	lose := func(m string) Occurrence { return Occurrence{"lose " + m, eventkind.Lose} }
	tick := Occurrence{"timer n0 tick{}", eventkind.FireTimer}
	a := []Occurrence{tick, lose("n1<-n0 A"), deliver("n1<-n0 B"), tick, deliver("n1<-n0 A"), tick, tick}
	b := []Occurrence{tick, tick, deliver("n1<-n0 A"), tick, deliver("n1<-n0 B")}
	want := []Counterpart{
		{0, true}, {1, true},
		{3, true},  // the message that a loses arrives in b
		{5, true},  // later in b
		{2, true},  // the first tick behind what both share
		{5, false}, // b delivers A once
		{4, true},
		{5, false}, // b is over
	}
	if got := Align(a, b, 1); !slices.Equal(got, want) {
		t.Errorf("Align = %v, want %v", got, want)
	}
}
