package mctest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Replay is a regression test from a path file, such as the error.path of a finding: it executes that run on
// the system and fails when it still violates a property. A run that ends in a state that is not live
// fails when random walks from there do not recover. The file is relative to the folder of the test.
//
// The code may have changed since the file was written, and it will have when the defect is fixed. A
// step that can no longer happen is replaced by one that differs in content only, or left out, and
// what remains is followed; -v shows where the run left the path. That is no failure, because a
// corrected service often behaves otherwise before the defect would show, unless no step at all fits, as after
// renaming: such a file tests nothing. With -macemc.strict each step must fit, which tells
// files that should be recorded anew.
//
// Node count and name of the system must be those of the file; a system without a name gets that of the
// test that the file names. Fault limits and timing are taken from the file.
func Replay(t testing.TB, system sim.System, file string) {
	t.Helper()
	if system.Name == "" {
		name, err := check.SystemName(file)
		if err != nil {
			t.Fatal(err)
		}
		system.Name = name
	}
	c := begin(t, system, Options{}, false)
	if c == nil {
		return
	}
	loaded, err := check.LoadTolerant(t.Context(), file, &c.system, c.respawn())
	if err != nil {
		t.Fatal(err)
	}
	left := misfits(loaded)
	rep, err := check.Describe(t.Context(), loaded, file, check.CriticalOptions{Seed: c.Seed, Workers: c.Workers})
	switch {
	case errors.Is(err, check.ErrNoViolation):
	case err != nil:
		t.Fatalf("%s: %v%s", file, err, left)
	default:
		rep.Commands = report.Commands{Look: "macemc mdb " + file}
		if rep.Verdict == search.Violation {
			t.Errorf("%s: the run still violates%s%s", file, left, c.terminal(rep))
		} else {
			t.Errorf("%s: it cannot be told whether the run recovers%s%s", file, left, c.terminal(rep))
		}
		return
	}
	switch {
	case left == "":
		t.Logf("%s: every step fits, and the run violates nothing", file)
	case loaded.Followed == 0:
		t.Errorf("%s: no step fits, so this tests nothing; record the path anew or delete the test%s", file, left)
	case c.strict:
		t.Errorf("%s: the path does not fit any more%s", file, left)
	default:
		t.Logf("%s: the run violates nothing any more%s", file, left)
	}
}

// misfits says where a run left its path; "": nowhere.
func misfits(l *check.Loaded) string {
	if len(l.Misfits) == 0 {
		return ""
	}
	const most = 5
	var b strings.Builder
	fmt.Fprintf(&b, "; %d steps fit, these do not:", l.Followed)
	for i, m := range l.Misfits {
		if i == most {
			fmt.Fprintf(&b, "\n  and %d more", len(l.Misfits)-most)
			break
		}
		fmt.Fprintf(&b, "\n  %v", m)
		switch m.Instead {
		case "":
			b.WriteString("; left out")
		case m.Key:
		default:
			fmt.Fprintf(&b, "; %s instead", m.Instead)
		}
	}
	return textfmt.Printable(b.String())
}
