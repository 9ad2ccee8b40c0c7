package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Errors name the requested file, and none is lost.
func TestInPlaceOf(t *testing.T) {
	full := &fs.PathError{Op: "write", Path: "dir/.macemc-17", Err: syscall.ENOSPC}
	moved := &os.LinkError{Op: "rename", Old: "dir/.macemc-17", New: "dir/a.html", Err: syscall.EACCES}
	other := &fs.PathError{Op: "read", Path: "dir/other", Err: syscall.EIO}
	for _, c := range []struct {
		errs []error
		want string
	}{
		{[]error{nil, nil}, ""},
		{[]error{full}, "write dir/a.html: no space left on device"},
		{[]error{moved}, "rename dir/a.html: permission denied"},
		{[]error{other, full}, "read dir/other: input/output error\nwrite dir/a.html: no space left on device"},
		{[]error{fmt.Errorf("page 3: %w", other), full}, "page 3: read dir/other: input/output error\nwrite dir/a.html: no space left on device"},
		{[]error{errors.Join(other, moved), nil}, errors.Join(other, moved).Error()},
	} {
		text := ""
		err := inPlaceOf("dir/a.html", c.errs...)
		if err != nil {
			text = err.Error()
		}
		if text != c.want {
			t.Errorf("%q, want %q", text, c.want)
		}
	}
	if err := inPlaceOf("a", full); !errors.Is(err, syscall.ENOSPC) {
		t.Error(err)
	}
}

// An unwritable file is detected before there is anything to write, and nothing is left behind.
func TestOutputsAreLookedAtFirst(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{filepath.Join(dir, "missing", "a"), filepath.Join(plain, "a"), "/proc/a"} {
		if err := (&Output{File: file}).Check(); err == nil {
			t.Errorf("%s can be written", file)
		}
		if err := (Generated{Name: file}).Check(); err == nil {
			t.Errorf("%s can be written", file)
		}
	}
	if err := (&Output{File: filepath.Join(dir, "a")}).Check(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 1 {
		t.Errorf("%v is left", left)
	}
}

// Errors of writing a temporary file name the file that it replaces, even if they are wrapped.
func TestPlacedNamesTheFile(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), inPlace)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	_, err = placed{f, "a.html"}.Write([]byte("text"))
	if err = fmt.Errorf("page 3: %w", err); err.Error() != "page 3: write a.html: file already closed" || !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
}

// A file that cannot be replaced stays as it is, the error names it, and nothing else is left.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x")
	for _, text := range []string{"a", "b"} {
		if err := Replace(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || string(got) != text {
			t.Errorf("got %q, %v, want %q", got, err, text)
		}
	}
	folder := filepath.Join(dir, "folder", "full")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	err := Replace(filepath.Dir(folder), nil, 0o600)
	if entries, _ := os.ReadDir(dir); err == nil || !strings.Contains(err.Error(), filepath.Dir(folder)+":") || len(entries) != 2 {
		t.Errorf("got %v, and %v in the folder", err, entries)
	}
}
