package report

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/replay"
)

// Known is a finding in a list of known ones. In the list's file it is a line: the date on which it was first seen, which may be absent,
// and its identity.
type Known struct {
	First    string `json:"first_seen,omitempty"` // as 2006-01-02
	Identity string `json:"identity"`
	Line     int    `json:"line"`            // in the file of the list
	Count    int    `json:"count,omitempty"` // violations of one search that have this identity

	Of *Report `json:"-"` // the first of these violations, before its run was shrunk; nil means none
}

// ReadKnown reads a list of known findings. Empty lines and lines that begin with # are ignored.
func ReadKnown(file string) (list []Known, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	for n, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		k := Known{Identity: line, Line: n + 1}
		if date, rest, ok := strings.Cut(line, " "); ok {
			if _, err := time.Parse(time.DateOnly, date); err == nil {
				k.First, k.Identity = date, strings.TrimSpace(rest)
			}
		}
		if !slices.ContainsFunc(list, func(o Known) bool { return o.Identity == k.Identity }) {
			list = append(list, k)
		}
	}
	return list, nil
}

// String returns the line of the list's file.
func (k Known) String() string { return strings.TrimSpace(k.First + " " + k.Identity) }

// Baseline compares the findings of a search with a list of known ones. The findings of a report with a baseline are new.
type Baseline struct {
	File   string  `json:"file"`
	Date   string  `json:"date"`   // of the search
	Known  []Known `json:"known"`  // found again
	Absent []Known `json:"absent"` // not found by this search
	// Partial means that the search process died. Known findings before that are not counted, and absent ones are unknown.
	Partial bool `json:"partial,omitempty"`
}

// Identify sets the identity of a finding: system or test, kind, property, and the function that handled the decisive step. An identity does
// not contain lines, numbers of steps or values, which vary with the code and the seed. A run without a proven critical step has no
// function, because walks find varying steps for one cause.
func (r *Report) Identify(subject string) {
	r.Identity = fmt.Sprintf("%s: %s", subject, r.Kind)
	if r.Property != "" {
		r.Identity += " of " + strconv.Quote(r.Property)
	}
	if c := r.Critical; c != nil && !c.Sure() {
		return
	}
	if step := r.DecisiveStep(); step != nil {
		r.Identity += inFunction + function(step)
	}
}

// inFunction separates the function of an identity from the rest.
const inFunction = " in "

func function(step *replay.TraceStep) string {
	if name := step.Function(); name != "" {
		return name
	}
	return step.Kind
}

// Is reports whether a finding is the known one. An identity without a function equals all that differ in the function only.
func (k Known) Is(r *Report) bool {
	return k.Identity == r.Identity || strings.HasPrefix(k.Identity, r.Identity+inFunction) || strings.HasPrefix(r.Identity, k.Identity+inFunction)
}

// About reports whether the known finding is one of a system or test.
func (k Known) About(subject string) bool { return strings.HasPrefix(k.Identity, subject+": ") }

// Violates reports whether the known finding violates a property.
func (k Known) Violates(property string) bool {
	return strings.Contains(k.Identity+inFunction, " of "+strconv.Quote(property)+inFunction)
}

// add adds the comparison of a shard with the same list.
func (b *Baseline) add(o *Baseline) {
	for _, k := range o.Known {
		t := named(&b.Known, func(t *Known) bool { return t.Identity == k.Identity }, Known{First: k.First, Identity: k.Identity, Line: k.Line})
		t.Count += k.Count
	}
	for _, k := range o.Absent {
		named(&b.Absent, func(t *Known) bool { return t.Identity == k.Identity }, k)
	}
	b.Partial = b.Partial || o.Partial
	b.Absent = slices.DeleteFunc(b.Absent, func(a Known) bool {
		return slices.ContainsFunc(b.Known, func(k Known) bool { return k.Identity == a.Identity })
	})
}
