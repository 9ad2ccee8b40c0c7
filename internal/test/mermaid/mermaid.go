// Package mermaid checks diagrams in tests by Mermaid's own parser.
package mermaid

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

//go:embed check.mjs
var script string

// Folder, below the module's root, is where "make check-mermaid" installs the parser.
const Folder = ".mermaid"

// Check passes diagrams, by name, to the parser, and fails the test for those that it rejects. It skips the test if
// node or the parser is not installed.
func Check(t *testing.T, diagrams map[string]string) {
	t.Helper()
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed")
	}
	modules := installed()
	if modules == "" {
		t.Skip("Mermaid's parser is not installed: make check-mermaid")
	}
	dir := t.TempDir()
	check := filepath.Join(dir, "check.mjs")
	if err := os.WriteFile(check, []byte(script), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{check, modules}
	for name, text := range diagrams { //lint:sorted each is checked by itself
		file := filepath.Join(dir, strings.ReplaceAll(name, "/", "-")+".mmd")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, file)
	}
	if out, err := exec.CommandContext(t.Context(), node, args...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// installed returns the folder with the parser's modules, or "".
func installed() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		modules := filepath.Join(dir, Folder, "node_modules")
		if _, err := os.Stat(filepath.Join(modules, "mermaid")); err == nil {
			return modules
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}
