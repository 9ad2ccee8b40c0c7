// Command found shows bugs of libraries. Each module below its folder has tests of one library that fail, in plain Go,
// because of a bug. The command executes them until they fail, and prints a line for each.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

func main() {
	folder := flag.String("folder", "evaluation/found", "the `folder` of the modules")
	runs := flag.Int("runs", 10, "execute each test until it fails, at most `N` times")
	only := flag.String("run", "", "only the tests that match this `pattern`")
	flag.Parse()
	if err := show(*folder, *only, *runs); err != nil {
		fmt.Fprintln(os.Stderr, "found:", err)
		os.Exit(1)
	}
}

// show prints a line for each test in the modules below folder. An error counts those that did not fail.
func show(folder, only string, runs int) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	modules, err := filepath.Glob(filepath.Join(folder, "*", "go.mod"))
	if err != nil || len(modules) == 0 {
		return fmt.Errorf("no modules in %s", folder)
	}
	out, err := os.MkdirTemp("", "found")
	if err != nil {
		return err
	}
	defer os.RemoveAll(out)
	passed := 0
	for _, file := range modules {
		n, err := showModule(filepath.Dir(file), out, pattern, runs)
		if err != nil {
			return err
		}
		passed += n
	}
	if passed > 0 {
		return fmt.Errorf("%d bugs did not show", passed)
	}
	return nil
}

// showModule prints the lines of one module, and returns how many of its tests passed.
func showModule(dir, out string, only *regexp.Regexp, runs int) (passed int, err error) {
	binary := filepath.Join(out, filepath.Base(dir)+".test")
	build := exec.Command("go", "test", "-c", "-o", binary, ".")
	build.Dir, build.Stderr = dir, os.Stderr
	build.Env = append(os.Environ(), "GOWORK=off")
	if err := build.Run(); err != nil {
		return 0, fmt.Errorf("%s: %w", dir, err)
	}
	list, err := exec.Command(binary, "-test.list", ".").Output()
	if err != nil {
		return 0, fmt.Errorf("%s: %w", dir, err)
	}
	for test := range strings.FieldsSeq(string(list)) {
		if !only.MatchString(test) {
			continue
		}
		message, run, err := execute(binary, dir, test, runs)
		if err != nil {
			return 0, err
		}
		if message == "" {
			passed++
			message = fmt.Sprintf("passed %d times", run)
		} else if run > 1 {
			message += fmt.Sprintf(" (run %d)", run)
		}
		fmt.Printf("%-12s %-28s %s\n", filepath.Base(dir), test, message)
	}
	return passed, nil
}

var failure = regexp.MustCompile(`(?m)^ +found_test\.go:\d+: (.*)`)

// execute runs a test at most runs times until it fails, and returns its last message and the number of runs.
func execute(binary, dir, test string, runs int) (message string, run int, err error) {
	for run = 1; run <= runs; run++ {
		command := exec.Command(binary, "-test.run", "^"+test+"$", "-test.timeout", "2m")
		command.Dir = dir
		output, err := command.CombinedOutput()
		if err == nil {
			continue
		}
		messages := failure.FindAllStringSubmatch(string(output), -1)
		if exit := (*exec.ExitError)(nil); !errors.As(err, &exit) || len(messages) == 0 {
			return "", run, fmt.Errorf("%s %s: %w\n%s", dir, test, err, output)
		}
		return messages[len(messages)-1][1], run, nil
	}
	return "", runs, nil
}
