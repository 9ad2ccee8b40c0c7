package cli

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/pathfile"
)

// Data in a pipe is read although the deadline has passed. The wait for more ends.
func TestLateReader(t *testing.T) {
	in, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	defer out.Close()
	if _, err := out.WriteString("answer"); err != nil {
		t.Fatal(err)
	}
	if err := in.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(lateReader{in}); string(got) != "answer" || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("got %q and error %v, want the answer and the end of the wait", got, err)
	}
}

// A suspect is found in the folder of a search and in its numbered folders, unless an earlier search left it, or one of
// another test.
func TestWrittenSince(t *testing.T) {
	own := func(h *pathfile.Header) bool { return h.Test == "TestOwn" }
	dir := filepath.Join(t.TempDir(), "out [1]")
	for _, in := range []string{dir, filepath.Join(dir, "2")} {
		if got := writtenSince(time.Time{}, in, check.SuspectPath, own); len(got) != 0 {
			t.Errorf("got %s in an empty folder", got)
		}
		file := filepath.Join(in, check.SuspectPath)
		if err := os.MkdirAll(in, 0o755); err != nil {
			t.Fatal(err)
		}
		for test, want := range map[string][]string{"TestOwn": {file}, "TestOther": nil} {
			text := "macemc path 1\nsystem s\nnodes 1\ntest " + test + "\nend 0\n"
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := writtenSince(time.Now().Add(-time.Hour), dir, check.SuspectPath, own); !slices.Equal(got, want) {
				t.Errorf("%s: got %q, want %q", test, got, want)
			}
		}
		if got := writtenSince(time.Now().Add(time.Hour), dir, check.SuspectPath, own); len(got) != 0 {
			t.Errorf("got %s, which is older", got)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}
