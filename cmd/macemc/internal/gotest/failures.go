package gotest

import (
	"slices"
	"strings"
)

// testOutput is what the tests of a package print, as package testing shows it.
type testOutput struct {
	test  string              // that prints; empty means another part of the output
	lines map[string][]string // the first ones, by test
}

// add adds a line of go test.
func (o *testOutput) add(line string) {
	const most = 20
	fields := strings.Fields(line)
	switch text := strings.TrimSpace(line); {
	case len(fields) > 2 && (fields[0] == "===" || strings.HasPrefix(text, "--- FAIL: ")):
		o.test = fields[2]
	case strings.HasPrefix(text, "--- "), !strings.HasPrefix(line, " "):
		o.test = ""
	case o.test != "" && len(o.lines[o.test]) < most:
		if o.lines == nil {
			o.lines = map[string][]string{}
		}
		o.lines[o.test] = append(o.lines[o.test], text)
	}
}

// failure describes the failure of a test that is not a finding.
func (o *testOutput) failure(test string) (message, text string) {
	if o == nil || len(o.lines[test]) == 0 {
		return plainFailure, ""
	}
	return o.lines[test][0], strings.Join(o.lines[test], "\n") + "\n"
}

// plainFailure is the message of a failure without output.
const plainFailure = "it fails as go test executes it, whose output has the reason"

// function returns the name of a test's function, without the package that Unit.String of package testsched adds.
func function(test string) string {
	name, _, _ := strings.Cut(test, " (")
	return name
}

// concerns reports whether a failure, by its name, may be that of a test, or of a test that contains it as a subtest.
func concerns(failing, test string) bool {
	name := function(test)
	return name == failing || strings.HasPrefix(name, failing+"/")
}

// contains reports whether one of the failures concerns a test.
func contains(failing []string, test string) bool {
	return slices.ContainsFunc(failing, func(name string) bool { return concerns(name, test) })
}

// unexcused returns the number of failures, by their names, that are not those of excused tests. A test of package p may fail although one
// of package p_test with the same name is excused, and a subtest although another one is.
func (p packageSummary) unexcused(failing []string) (n int) {
	for i, name := range failing {
		count := func(tests []string) (n int) {
			for _, test := range tests {
				if concerns(name, test) {
					n++
				}
			}
			return n
		}
		excused := count(p.excused)
		if excused == 0 || count(p.found) > 0 || excused < p.names[name] && slices.Index(failing, name) != i {
			n++
		}
	}
	return n
}
