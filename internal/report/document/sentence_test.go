package document

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/sim"
)

// Without an examination of the run, such as after the death of a search, the sentence claims no proof.
func TestSentence_Unexamined(t *testing.T) {
	r := asking(t, 3)
	r.Kind, r.Property, r.Critical = sim.Liveness, "answered", nil
	if got := sentence(r); !strings.Contains(got, `" did not become true`) || !strings.HasSuffix(got, " (not proven)") {
		t.Errorf("got %s", got)
	}
	if got := neverAgain(r)[0].Label; got != "violated:" {
		t.Errorf("the property is %q", got)
	}
}
