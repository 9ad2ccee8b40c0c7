package main

import (
	"os"
	"testing"

	"github.com/macemc/macemc/cmd/macemc/program"
	"github.com/macemc/macemc/internal/test/golden"
)

// docs/commands.md is what the commands say of themselves.
func TestReference(t *testing.T) {
	const page = "../../docs/commands.md"
	got, err := program.Reference(config())
	if err != nil {
		t.Fatal(err)
	}
	if *golden.Update {
		if err := os.WriteFile(page, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if line, g, w := golden.Difference(got, string(want)); line > 0 {
		t.Errorf("%s differs in line %d (run with -update to write it again):\ngot  %q\nwant %q", page, line, g, w)
	}
}
