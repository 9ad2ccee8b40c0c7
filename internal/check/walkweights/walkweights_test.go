package walkweights

import (
	"testing"

	"github.com/macemc/macemc/search"
)

func TestWeights(t *testing.T) {
	got, err := Parse("message=9,fault=0", search.Weights{})
	if want := (search.Weights{Action: 40, Message: 9, Timer: 1, Consequence: 8, Fault: 0}); err != nil || got != want {
		t.Errorf("got %+v, %v", got, err)
	}
	if text := Text(got); text != "action=40,message=9,timer=1,consequence=8,fault=0" {
		t.Errorf("text %q", text)
	}
}
