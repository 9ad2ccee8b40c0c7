package doccheck

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Script is a page whose files, changes and commands are carried out in the order of the page. They are
//
//   - a block of Go behind the line "`NAME`:", a file;
//   - a block of type diff behind the line "In `NAME`:", a change of that file;
//   - a block of type console: lines that begin with "$ " are commands, and the others are their output. A line "..." stands for
//     any number of lines of output.
type Script struct {
	Dir     string   // where it is carried out
	Env     []string // beside the environment of the process
	Prelude string   // shell commands before each command
	// Replace changes the output of commands. Nil means that it stays as it is.
	Replace func(string) string
}

var scriptBlock = regexp.MustCompile("(?ms)^((In )?`([\\w./-]+)`:\n\n)?```(console|diff|go)\n(.*?)^```$")

// Run carries out a page and returns the page with the output of its commands. Outputs that match stay as they are.
func (s *Script) Run(page string) (string, error) {
	var failed error
	dir := s.Dir
	shown := scriptBlock.ReplaceAllStringFunc(page, func(all string) string {
		m := scriptBlock.FindStringSubmatch(all)
		file, kind, text := m[3], m[4], m[5]
		switch {
		case failed != nil:
		case kind == "console":
			var out string
			if out, dir = s.console(dir, text); !Matches(text, out) {
				return "```console\n" + out + "```"
			}
		case kind == "diff" && file != "" && m[2] != "":
			failed = change(filepath.Join(dir, file), text)
		case kind == "go" && file != "" && m[2] == "":
			failed = os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644)
		case kind == "diff":
			failed = fmt.Errorf("no line \"In `NAME`:\" stands before this change:\n%s", text)
		}
		return all
	})
	return shown, failed
}

// console runs the commands of a block in a folder, and returns them with their output, and the folder behind them.
func (s *Script) console(dir, text string) (out, end string) {
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		out += line
		if to, ok := strings.CutPrefix(command, "cd "); ok {
			dir = filepath.Join(dir, strings.TrimSpace(to))
			continue
		}
		cmd := exec.Command("sh", "-c", s.Prelude+command)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), s.Env...)
		output, _ := cmd.CombinedOutput() // its exit status may be that of a violation
		got := string(output)
		if s.Replace != nil {
			got = s.Replace(got)
		}
		for l := range strings.Lines(got) {
			out += strings.TrimRight(l, " \n") + "\n"
		}
	}
	return out, dir
}

// change makes a change to a file.
func change(file, diff string) error {
	var before, after strings.Builder
	for line := range strings.Lines(diff) {
		if line[0] != '+' {
			before.WriteString(line[1:])
		}
		if line[0] != '-' {
			after.WriteString(line[1:])
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if n := strings.Count(string(text), before.String()); n != 1 {
		return fmt.Errorf("%s has %d times, want once:\n%s", file, n, before.String())
	}
	return os.WriteFile(file, []byte(strings.Replace(string(text), before.String(), after.String(), 1)), 0o644)
}

// variable is what differs from run to run and from machine to machine.
var variable = regexp.MustCompile(`\d+(\.\d+)?m?s\b|\d+/s\b|\d+\.\d+ bytes|127\.0\.0\.1:\d+|/\S*/mysvc/|engine: .*|\(devel\)\S*|github.com/macemc/macemc/internal/test/\S*`)

// Matches reports whether an output is the one that a page shows, but for times and similar figures. A line "..." of the page
// stands for any number of lines.
func Matches(shown, output string) bool {
	want := strings.Split(strings.TrimSuffix(variable.ReplaceAllString(shown, "*"), "\n"), "\n")
	got := strings.Split(strings.TrimSuffix(variable.ReplaceAllString(output, "*"), "\n"), "\n")
	skip := false
	for _, line := range want {
		if strings.TrimSpace(line) == "..." {
			skip = true
			continue
		}
		line = strings.TrimRight(line, " ")
		for skip && len(got) > 0 && got[0] != line {
			got = got[1:]
		}
		if len(got) == 0 || got[0] != line {
			return false
		}
		got, skip = got[1:], false
	}
	return skip || len(got) == 0
}
