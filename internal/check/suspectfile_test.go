package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// A suspect comes with the command that confirms or refutes it: for a dead run by its critical step, otherwise by executing it again.
func TestSuspectFile_Decide(t *testing.T) {
	c := &checker{Options: Options{Commands: func(file string) report.Commands {
		return report.Commands{Decide: "critical " + file, Replay: "replay " + file}
	}}}
	for kind, want := range map[sim.FindingKind]string{
		sim.Liveness: "critical d/suspect.path", sim.Deadlock: "critical d/suspect.path",
		sim.Safety: "replay d/suspect.path", sim.Panic: "replay d/suspect.path", sim.Divergence: "replay d/suspect.path",
	} {
		s := &search.Suspect{Finding: sim.Finding{Kind: kind}}
		f := &suspectFile{c: c, dir: "d", written: s}
		if got := f.entry(s, report.Suspected).Decide; got != want {
			t.Errorf("%v: %q, want %q", kind, got, want)
		}
		f.dir = ""
		if got := f.entry(s, report.Suspected).Decide; got != "" {
			t.Errorf("%v without a file: %q", kind, got)
		}
	}
}

// Confirming a suspect does not rewrite its file.
func TestConfirm_LeavesSuspectFile(t *testing.T) {
	c := &checker{Options: Options{Dir: filepath.Join(t.TempDir(), "out")}}
	c.sys = tired(func() bool { return true }, func() {})
	c.suspectFile = &suspectFile{c: c}
	s := &search.Suspect{Finding: sim.Finding{Kind: sim.Safety, Node: -1}, Path: choose.Path{0}, Steps: 1}
	c.suspected(s)
	before, err := os.Stat(c.suspectFile.name())
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := c.confirm(t.Context(), *s); err != nil || !answer.Violation {
		t.Fatalf("got %+v, %v", answer, err)
	}
	if after, err := os.Stat(c.suspectFile.name()); err != nil || !os.SameFile(before, after) {
		t.Errorf("the file is written again, or missing: %v", err)
	}
}
