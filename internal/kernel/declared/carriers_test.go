package declared

import (
	"testing"

	"github.com/macemc/macemc/internal/encoding/diff"
	"github.com/macemc/macemc/sim"
)

type carrier struct{ sim.Nop }

func (carrier) Carries() {}

// Private fields of a carrier are shown as words, and keep their names for code.
func TestOfCarrier(t *testing.T) {
	fields := OfCarrier(carrier{}, []diff.Field{{Path: "Seen"}, {Path: "seenInEarlierStep"}, {Path: "goroutines"}})
	for i, want := range []string{"Seen", "(seen in earlier step)", "(goroutines)"} {
		if fields[i].Path != want {
			t.Errorf("field %d is %q, want %q", i, fields[i].Path, want)
		}
	}
	if name := fields[1].Part.Name; name != "seenInEarlierStep" {
		t.Errorf("its name is %q", name)
	}
}
