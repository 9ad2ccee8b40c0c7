// Command ecosystem explores tests that use libraries which services import: for each library a typical test, one with a
// planted defect, and its mended version. It writes a table of the results, and exits with status 1 if one is not as expected:
// the typical test and the mended one are explored and pass, and the defect is found, but not in the default order.
//
//	GOWORK=off go run . [flags] [FOLDER ...]
//
// # Files
//
//	main.go       the command
//	rows.go       the libraries
//	results.go    what macemc test prints, by test
//	table.go      the table, and expectations
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	program := flag.String("macemc", "../../bin/macemc", "the `program` that explores")
	limit := flag.String("explore-time", "", "limit of each test, if not the default one")
	seed := flag.String("explore-seed", "", "seed of the schedules, if not the default one")
	page := flag.String("write", "", "replace the rows of the explored libraries in the table of the `file`")
	verbose := flag.Bool("v", false, "print what the program prints about unexpected results")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run . [flags] [FOLDER ...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	options := []string{}
	if *limit != "" {
		options = append(options, "-explore-time="+*limit)
	}
	if *seed != "" {
		options = append(options, "-explore-seed="+*seed)
	}
	failures, err := explore(*program, options, flag.Args(), *page, *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "ecosystem:", err)
		os.Exit(2)
	}
	if failures > 0 {
		fmt.Fprintf(os.Stderr, "ecosystem: %d libraries are not as expected\n", failures)
		os.Exit(1)
	}
}

// explore explores the libraries of some folders, or all, one folder after another, and prints the table. After each folder it replaces the
// rows of its libraries in the page. It returns how many are not as expected.
func explore(program string, options, folders []string, page string, verbose bool) (failures int, err error) {
	chosen, err := choose(folders)
	if err != nil {
		return 0, err
	}
	version, err := versions(chosen)
	if err != nil {
		return 0, err
	}
	rows := []row{}
	for _, folder := range foldersOf(chosen) {
		in, rest, err := exploreFolder(program, options, inFolder(folder), version)
		if err != nil {
			return 0, err
		}
		unexpected := 0
		for _, r := range in {
			for _, w := range r.wrong {
				fmt.Fprintf(os.Stderr, "%s: %s\n", r.name, w)
			}
			if len(r.wrong) > 0 {
				unexpected++
				if verbose {
					fmt.Fprint(os.Stderr, r.output)
				}
			}
		}
		if failures += unexpected; unexpected > 0 {
			fmt.Fprint(os.Stderr, rest)
		}
		if rows = append(rows, in...); page != "" {
			if err := write(page, in); err != nil {
				return 0, err
			}
		}
	}
	fmt.Print(table(rows, nil))
	return failures, nil
}

// exploreFolder explores the libraries of one folder. It also returns what the program prints about no test.
func exploreFolder(program string, options []string, chosen []library, version map[string]string) (rows []row, rest string, err error) {
	packages := []string{}
	for _, l := range chosen {
		packages = append(packages, l.packages()...)
	}
	slices.Sort(packages)
	packages = slices.Compact(packages)
	out, notes, err := run(program, append(append([]string{"test", "-json", "-count=1", "-timeout=2h"}, options...), packages...))
	if err != nil {
		return nil, "", err
	}
	found, rest, err := parse(bytes.NewReader(out))
	if err != nil {
		return nil, "", err
	}
	reasons(notes, found)
	for _, l := range chosen {
		rows = append(rows, judge(l, version[l.module], found))
	}
	return rows, rest, nil
}

// foldersOf returns the folders of libraries, in order.
func foldersOf(of []library) (folders []string) {
	for _, l := range of {
		if !slices.Contains(folders, l.folder) {
			folders = append(folders, l.folder)
		}
	}
	return folders
}

// choose returns the libraries of some folders, or all.
func choose(folders []string) (chosen []library, err error) {
	if len(folders) == 0 {
		return libraries, nil
	}
	for _, f := range folders {
		in := inFolder(filepath.ToSlash(filepath.Clean(f)))
		if len(in) == 0 {
			return nil, fmt.Errorf("there is no library in folder %s", f)
		}
		chosen = append(chosen, in...)
	}
	return chosen, nil
}

// inFolder returns the libraries of a folder.
func inFolder(folder string) (in []library) {
	for _, l := range libraries {
		if l.folder == folder {
			in = append(in, l)
		}
	}
	return in
}

// versions returns the version of each library's module, and of the standard library as module "std".
func versions(of []library) (map[string]string, error) {
	args := []string{"list", "-m", "-f", "{{.Path}} {{.Version}}"}
	for _, l := range of {
		if l.module != "std" {
			args = append(args, l.module)
		}
	}
	out, err := output(os.Stderr, "go", args...)
	if err != nil {
		return nil, err
	}
	version := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, v, _ := strings.Cut(strings.TrimSpace(line), " ")
		version[path] = v
	}
	out, err = output(os.Stderr, "go", "env", "GOVERSION")
	version["std"] = strings.TrimSpace(string(out))
	return version, err
}

// run executes the program, and removes the files that it and property tests store. It returns both outputs. The status
// of the program is 1 because of the defects.
func run(program string, args []string) (out []byte, notes string, err error) {
	if err := clean(); err != nil {
		return nil, "", err
	}
	var stderr bytes.Buffer
	out, err = output(io.MultiWriter(os.Stderr, &stderr), program, args...)
	if exit, ok := err.(*exec.ExitError); ok && exit.ExitCode() <= 3 && len(out) > 0 {
		err = nil
	}
	if err != nil {
		return nil, "", err
	}
	return out, stderr.String(), clean()
}

func clean() error {
	for _, pattern := range []string{"*/testdata/macemc", "*/*/testdata/macemc", "*/testdata/rapid"} {
		dirs, err := filepath.Glob(pattern)
		if err != nil {
			return err
		}
		for _, d := range dirs {
			if err := os.RemoveAll(d); err != nil {
				return err
			}
			os.Remove(filepath.Dir(d)) // if it is empty
		}
	}
	return nil
}

// output executes a command outside of the workspace, and returns what it prints.
func output(stderr io.Writer, name string, args ...string) ([]byte, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "GOWORK=off")
	cmd.Stderr = stderr
	return cmd.Output()
}
