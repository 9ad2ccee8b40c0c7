package task

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// A test built with other fields of tasks reports that before it gets an order that it would not understand.
func TestOtherTasksAreNotUnderstood(t *testing.T) {
	file := filepath.Join(t.TempDir(), "list")
	if err := Announce(file, Listed{Test: "TestLease"}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var a Announcement
	if err := json.Unmarshal(text, &a); err != nil || !a.Understood() || a.Test != "TestLease" {
		t.Errorf("%s: %v", text, err)
	}
	older := a
	if older.Shape = ""; older.Understood() {
		t.Error("a test without the fields of tasks is understood")
	}
	if older = a; older.Protocol == 0 {
		t.Error("no number of what is said")
	}
	if older.Protocol--; older.Understood() {
		t.Error("a test that says other things is understood")
	}
}

// The giver of an order learns whether the report of a search was printed, and with which status.
func TestOrder_PrintedStatus(t *testing.T) {
	o := &Order{Printed: filepath.Join(t.TempDir(), "printed")}
	if status, ok := o.PrintedStatus(); ok {
		t.Errorf("status %d before the report", status)
	}
	p := &Process{printed: o.Printed, Stdout: io.Discard, Stderr: io.Discard}
	err := p.conclude(t.Context(), &report.Report{Verdict: search.Violation, Kind: sim.Panic}, nil, &request{Search: &Search{}})
	if status, ok := o.PrintedStatus(); !ok || status != exitcode.Violation || err == nil {
		t.Errorf("status %d, %t, %v", status, ok, err)
	}
}
