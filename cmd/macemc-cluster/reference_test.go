package main

import (
	"os"
	"testing"

	"github.com/macemc/macemc/cmd/macemc/program"
	"github.com/macemc/macemc/internal/test/golden"
)

// docs/commands.md has the help of all commands.
func TestReference(t *testing.T) {
	const file = "../../docs/commands.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := program.Reference(config(), string(page))
	if err != nil {
		t.Fatal(err)
	}
	golden.CompareFile(t, file, []byte(got))
}
