package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A go command that is ended by an interrupt, without output, may end before this process receives the interrupt.
func TestGoCommandInterrupted(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\nexit 1\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if _, err := new(app).goCommand(ctx, "", nil, []string{"list"}); err == nil || err.Error() != "go list: exit status 1" {
		t.Errorf("%v, want what ended without a word", err)
	}
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := new(app).goCommand(ctx, "", nil, []string{"list"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was interrupted", err)
	}
}
