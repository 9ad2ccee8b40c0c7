package doccheck

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Script executes the files, changes and commands of a page, in order. They are
//
//   - a block of Go behind the line "`NAME`:", a file;
//   - a block of type diff behind the line "In `NAME`:", a change of that file;
//   - a block of type console: lines that begin with "$ " are commands, and the others are their output. A line "..." matches
//     any number of lines of output.
type Script struct {
	Dir     string   // working directory
	Env     []string // in addition to the environment of the process
	Prelude string   // shell commands before each command
	// Replace, if not nil, changes the output of commands.
	Replace func(string) string
}

var scriptBlock = regexp.MustCompile("(?ms)^((In )?`([\\w./-]+)`:\n\n)?```(console|diff|go)\n(.*?)^```$")

// Run executes a page and returns it with the output of its commands. Output that matches is not changed.
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

// console runs the commands of a block in a folder, and returns them with their output, and the final folder.
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
		output, _ := cmd.CombinedOutput() // a violation has a nonzero exit status
		got := longBuilds.ReplaceAllString(string(output), "")
		if s.Replace != nil {
			got = s.Replace(got)
		}
		for l := range strings.Lines(got) {
			out += strings.TrimRight(l, " \n") + "\n"
		}
	}
	return out, dir
}

// longBuilds matches what programs print only if a build takes long.
var longBuilds = regexp.MustCompile(`(?m)^macemc: building the tests (of [^,\n]*|with .*)\n`)

// change applies a change to a file.
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
		return fmt.Errorf("%s matches %d times, want once:\n%s", file, n, before.String())
	}
	return os.WriteFile(file, []byte(strings.Replace(string(text), before.String(), after.String(), 1)), 0o644)
}

// variable matches text that depends on the run or the machine.
var variable = regexp.MustCompile(`\d+(\.\d+)?m?s\b|\d+/s\b|\d+\.\d+ bytes|127\.0\.0\.1:\d+|/\S*/mysvc/|` +
	`engine: .*|\(devel\)\S*|github.com/macemc/macemc/internal/test/\S*`)

// Matches reports whether an output matches that of a page, apart from times and similar figures. A line "..." of
// the page matches any number of lines.
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
