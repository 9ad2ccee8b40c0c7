package systems_test

import (
	"testing"

	"github.com/macemc/macemc/systems"
)

func TestFind(t *testing.T) {
	if e, err := systems.Find("randtree"); err != nil || e.Name != "randtree" {
		t.Errorf("got %q, %v", e.Name, err)
	}
	_, err := systems.Find("randtre")
	if want := `unknown system "randtre"; did you mean randtree?`; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
