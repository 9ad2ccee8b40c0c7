//go:build unix

package main

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check/exitcode"
)

// The table has the results of killed processes, and marks searches with other results or none.
func TestTablesPReachDB(t *testing.T) {
	if testing.Short() {
		t.Skip("starts some processes, twice")
	}
	e, out, errs := newEvaluator()
	rows := []preachdbRow{
		preachdbRows[0],
		{Search: "all", workers: 2, servers: 1, strike: (*preachdbRun).again},
		{Search: "less", flags: []string{"--reduce", "none", "--depth", "9"}},
		{Search: "nothing", flags: []string{"--no-such-flag"}},
	}
	err := e.preachdb(t.Context(), &tablesFlags{time: enough}, 15, rows)
	if status := e.ExitStatus(t.Context(), err); status != exitcode.Violation {
		t.Errorf("exit status %d", status)
	}
	for _, want := range []string{
		"| one process | 642,936 states,", "| all | 642,936 states,", "(and 2 killed)", "| less | NOT EXACT: ", "| nothing | FAILED: the search gave no report: ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s%s", want, out.String(), errs.String())
		}
	}
}
