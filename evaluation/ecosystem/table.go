package main

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
)

// row is a row of the table.
type row struct {
	library
	version   string
	explored  bool
	schedules string
	found     string
	finding   string
	wrong     []string // what is not as expected
	output    string   // what was printed about these
}

// judge compares the results of a library with the expectations.
func judge(l library, version string, found map[string]*result) row {
	r := row{library: l, version: version, found: "no"}
	get := func(folder, suffix string) *result {
		if f := found[folder+" "+l.test+suffix]; f != nil {
			return f
		}
		return &result{output: "no result of " + l.test + suffix + "\n"}
	}
	fail := func(f *result, format string, args ...any) {
		r.wrong = append(r.wrong, l.test+fmt.Sprintf(format, args...))
		r.output += f.output
	}
	passes := func(f *result, suffix string) bool {
		switch {
		case f.reason != "":
			fail(f, "%s: %s", suffix, f.reason)
		case f.failed || !f.passed:
			fail(f, "%s fails", suffix)
		case f.schedules == 0:
			fail(f, "%s is not explored", suffix)
		default:
			return true
		}
		return false
	}
	folders := l.packages()
	typical := get(folders[0][2:], "")
	defect, mended := get(folders[1][2:], "Defect"), get(folders[2][2:], "Mended")
	r.explored = passes(typical, "")
	if r.schedules = strconv.Itoa(typical.schedules); r.explored && !typical.sampled {
		r.schedules += " (complete)"
	}
	switch {
	case defect.found > 1:
		r.found, r.finding = strconv.Itoa(defect.found), defect.finding
	case defect.found == 1:
		fail(defect, "Defect: found in the default order")
	case defect.reason != "":
		fail(defect, "Defect: %s", defect.reason)
	default:
		fail(defect, "Defect: not found")
	}
	passes(mended, "Mended")
	return r
}

// line returns the line of the table, in Markdown.
func (r *row) line() string {
	explored, remark := "yes", r.finding
	if !r.explored {
		explored = "**no**"
	}
	if r.remark != "" {
		remark += "; " + r.remark
	}
	if len(r.wrong) > 0 {
		remark = "**" + strings.Join(r.wrong, "; ") + "**"
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", r.name, r.version, explored, r.schedules, r.found, remark)
}

// table returns the table in Markdown. Libraries without a row have their line in an older table.
func table(rows []row, older []string) string {
	var b strings.Builder
	b.WriteString("| library | version | explored | schedules | defect found by schedule | remark |\n|---|---|---|--:|--:|---|\n")
	kind := ""
	for _, l := range libraries {
		line := ""
		for _, r := range rows {
			if r.name == l.name {
				line = r.line()
			}
		}
		for _, o := range older {
			if line == "" && strings.HasPrefix(o, "| "+l.name+" |") {
				line = o
			}
		}
		if line != "" && l.kind != kind {
			kind = l.kind
			fmt.Fprintf(&b, "| **%s** | | | | | |\n", kind)
		}
		b.WriteString(line)
	}
	return b.String()
}

// write replaces rows in the table of a page.
func write(page string, rows []row) error {
	const begin, end = "<!-- ecosystem -->\n", "<!-- end of ecosystem -->"
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(old), begin)
	there, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no lines %q and %q", page, begin, end)
	}
	return os.WriteFile(page, []byte(before+begin+table(rows, slices.Collect(strings.Lines(there)))+end+after), 0o644)
}
