package scaffold_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/macemc/macemc/internal/test/golden"
)

// block is one block of code in a page.
var block = regexp.MustCompile("(?ms)^```(console|diff)\n(.*?)^```$")

// figures are what differs from run to run and from machine to machine.
var figures = regexp.MustCompile(`\d+\.\d+s|/\S*/mysvc/|engine: .*`)

// The tutorial is carried out: its commands say what it shows, its changes can be made.
func TestTutorial(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program and tests")
	}
	page := filepath.Join("..", "..", "docs", "tutorial.md")
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	bin, dir := t.TempDir(), t.TempDir()
	if out, err := exec.Command("go", "build", "-o", bin, "github.com/macemc/macemc/cmd/macemc").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	shown := block.ReplaceAllStringFunc(string(text), func(all string) string {
		m := block.FindStringSubmatch(all)
		if m[1] == "diff" {
			change(t, dir, m[2])
			return all
		}
		var out strings.Builder
		for line := range strings.Lines(m[2]) {
			command, ok := strings.CutPrefix(line, "$ ")
			if !ok {
				continue
			}
			out.WriteString(line)
			if to, ok := strings.CutPrefix(command, "cd "); ok {
				dir = filepath.Join(dir, strings.TrimSpace(to))
				continue
			}
			cmd := exec.Command("sh", "-c", command)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
			said, _ := cmd.CombinedOutput() // an exit status may tell of a violation
			for l := range strings.Lines(string(said)) {
				out.WriteString(strings.TrimRight(l, " \n") + "\n")
			}
		}
		return "```console\n" + out.String() + "```"
	})
	plain := func(s string) string { return figures.ReplaceAllString(s, "*") }
	diff := cmp.Diff(plain(string(text)), plain(shown))
	switch {
	case diff == "":
	case *golden.Update:
		shown = regexp.MustCompile(`/\S*/mysvc/`).ReplaceAllString(shown, "/home/me/mysvc/")
		if err := os.WriteFile(page, []byte(shown), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("docs/tutorial.md shows something else (-tutorial +real; -update puts it right):\n%s", diff)
	}
}

// change makes a change to a file, which its first line names.
func change(t *testing.T, dir, diff string) {
	t.Helper()
	name, diff, _ := strings.Cut(diff, "\n")
	var before, after strings.Builder
	for line := range strings.Lines(diff) {
		switch rest := line[1:]; line[0] {
		case ' ':
			before.WriteString(rest)
			after.WriteString(rest)
		case '-':
			before.WriteString(rest)
		case '+':
			after.WriteString(rest)
		default:
			t.Fatalf("a diff has the line %q", line)
		}
	}
	file := filepath.Join(dir, name)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(string(text), before.String()) != 1 {
		t.Fatalf("%s does not have exactly once:\n%s", name, before.String())
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), before.String(), after.String(), 1)), 0o644); err != nil {
		t.Fatal(err)
	}
}
