package main

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/macemc/macemc/check"
)

func TestBugs(t *testing.T) {
	stdout, stderr, status := runUntil(t, t.Context(), "bugs", "twophase", "--json")
	if status != check.StatusOK {
		t.Fatalf("exit status %d: %s", status, stderr)
	}
	var list struct{ Bugs []bugRow }
	if err := json.Unmarshal([]byte(stdout), &list); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, b := range list.Bugs {
		ids = append(ids, b.Bug)
		if b.System != "twophase" || !b.AsKnown || b.Found == "" || b.Paths == 0 || b.Nodes == 0 {
			t.Errorf("%+v", b)
		}
	}
	if got := strings.Join(ids, " "); got != "TP1 TP2 TP3" {
		t.Errorf("bugs %s", got)
	}
}

// A bug that is not found is shown as not found.
func TestBugsNotFound(t *testing.T) {
	stdout, _, status := runUntil(t, t.Context(), "bugs", "brokentree", "--time", "1ns")
	if status != check.StatusViolation || strings.Count(stdout, "NOT FOUND") != 2 || !strings.Contains(stdout, "0 of 2 found as known") {
		t.Errorf("exit status %d:\n%s", status, stdout)
	}
}

// Interrupted, it still prints a table.
func TestBugsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stdout, _, status := runUntil(t, ctx, "bugs", "brokentree")
	if status != check.StatusInconclusive || !strings.Contains(stdout, "0 of 0 found as known") {
		t.Errorf("exit status %d:\n%s", status, stdout)
	}
}
