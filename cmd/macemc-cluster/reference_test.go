package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/macemc/macemc/cmd/macemc/program"
	"github.com/macemc/macemc/internal/test/golden"
)

// docs/commands has one page for each command, made of its help.
func TestReference(t *testing.T) {
	const folder = "../../docs/commands"
	pages, err := program.Reference(config())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range pages {
		if text != "" {
			golden.CompareFile(t, filepath.Join(folder, name), []byte(text))
		}
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, ok := pages[f.Name()]; !ok {
			t.Errorf("%s is the page of no command", f.Name())
		}
	}
}
