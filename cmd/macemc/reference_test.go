package main

import (
	"testing"

	"github.com/macemc/macemc/cmd/macemc/program"
	"github.com/macemc/macemc/internal/test/golden"
)

// docs/commands contains one page per command, generated from its help.
func TestReference(t *testing.T) {
	pages, err := program.Reference(program.Config{})
	if err != nil {
		t.Fatal(err)
	}
	golden.CompareFolder(t, "../../docs/commands", pages)
}
