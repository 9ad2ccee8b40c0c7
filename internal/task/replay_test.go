package task

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/internal/test/toys"
)

// A run as text folds steps as the lane view does, except for the last one. A verbose one has each step.
func TestWriteRun_Folds(t *testing.T) {
	sys := toys.Ticking(70, 20)
	trace, err := replay.Record(sys, systest.Follow(t, sys, toys.Ticks(70)[:69]...), kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	show := func(verbose bool) []string {
		var out bytes.Buffer
		if err := WriteRun(&out, trace, "none.path", verbose); err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(`(?m)^(\d+|\.\.\.) [^\[\n]*`).FindAllString(out.String(), -1)
	}
	want := []string{
		"0 all nodes boot",
		"... steps 1-19, n0: 9.5 s pass, 19 ticks, Ticks 0->19",
		"20 n0 timer tick  ",
		"... steps 21-68, n0: 24 s pass, 48 ticks, Ticks 20->68; -v shows them",
		"69 n0 timer tick  ",
	}
	if got := show(false); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if all := show(true); len(all) != 70 {
		t.Errorf("verbose: %d of steps 0 to 69", len(all))
	}
}
