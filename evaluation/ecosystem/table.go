package main

import (
	"fmt"
	"os"
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

// table returns the table in Markdown.
func table(rows []row) string {
	var b strings.Builder
	b.WriteString("| library | version | explored | schedules | defect found by schedule | remark |\n|---|---|---|--:|--:|---|\n")
	kind := ""
	for _, r := range rows {
		if r.kind != kind {
			kind = r.kind
			fmt.Fprintf(&b, "| **%s** | | | | | |\n", kind)
		}
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
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.name, r.version, explored, r.schedules, r.found, remark)
	}
	return b.String()
}

// write replaces the table in a page.
func write(page, text string) error {
	const begin, end = "<!-- ecosystem -->\n", "<!-- end of ecosystem -->"
	old, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		return fmt.Errorf("%s has no lines %q and %q", page, begin, end)
	}
	return os.WriteFile(page, []byte(before+begin+text+end+after), 0o644)
}
