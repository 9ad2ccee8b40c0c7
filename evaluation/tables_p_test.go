package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/systems/spec"
)

// The table's figures of the bundled protocols are correct.
func TestTableOfP(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	if n := linesOf(t, "smr") + linesOf(t, "smr/group"); n != pShared {
		t.Errorf("%d lines are shared, the table says %d", n, pShared)
	}
	for _, s := range pSettings {
		if s.lines == 0 {
			continue
		}
		e, err := spec.Find(allSystems(), s.system)
		if err != nil {
			t.Fatal(err)
		}
		if len(e.Bugs) != s.bugs {
			t.Errorf("%s: %d bugs, the table says %d", s.system, len(e.Bugs), s.bugs)
		}
		if n := linesOf(t, s.system); n != s.lines {
			t.Errorf("%s: %d lines, the table says %d", s.system, n, s.lines)
		}
	}
	if a, b := numbersOf(pSettings...), numbersOf(pSetting{published: pLines, found: pFound}); !maps.Equal(a, b) {
		t.Errorf("the paper's figures come to %v, not to %v", a, b)
	}
	short := pSettings[len(pSettings)-2]
	stdout, stderr, status := tabulatedOf(t, t.Context(), tablesFlags{time: enough}, pTable([]pSetting{short}))
	if status != exitcode.OK || !strings.Contains(stdout, "| none, with abstraction | 5 h 03, 5 nodes | holds | 2,487 in ") ||
		!strings.Contains(stdout, " s | 7,144 | ") || !strings.Contains(stdout, " kB | 101,991 |") ||
		!strings.Contains(stdout, "| does not complete | stopped (memory) at ") {
		t.Errorf("exit status %d: %s\n%s", status, stderr, stdout)
	}
}

// numbersOf sums the figures of the paper: lines by position, bugs by kind.
func numbersOf(settings ...pSetting) map[string]int {
	sums := map[string]int{}
	for _, s := range settings {
		for i, n := range strings.Split(s.published, " + ") {
			if n, err := strconv.Atoi(n); err == nil {
				sums[strconv.Itoa(i)] += n
			}
		}
		for _, f := range strings.Split(s.found, ", ") {
			n, kind, _ := strings.Cut(f, " ")
			if n, err := strconv.Atoi(n); err == nil {
				sums[kind] += n
			}
		}
	}
	return sums
}

// The line counts of the tutorial's programs are those of the page.
func TestLinesOfTutorial(t *testing.T) {
	page, err := os.ReadFile("tables.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, system := range []string{"clientserver", "commit", "espresso", "detector"} {
		_, row, _ := strings.Cut(string(page), "| `"+system+"` | ")
		if row, _, _ = strings.Cut(row, "\n"); !strings.HasSuffix(row, fmt.Sprintf("| %d |", linesOf(t, system))) {
			t.Errorf("%s: %d lines, the page says %q", system, linesOf(t, system), row)
		}
	}
}

// linesOf counts the lines of a system, without tests, comments and blanks.
func linesOf(t *testing.T, system string) (n int) {
	files, err := filepath.Glob(filepath.Join("..", "internal", "test", "papers", system, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "//") {
				n++
			}
		}
	}
	return n
}
