package task

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
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
