package gotest

import (
	"slices"
	"strings"
)

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
