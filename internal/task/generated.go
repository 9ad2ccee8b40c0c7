package task

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Generated is a file that a command rewrites each time. Its first lines contain Mark, which identifies it. A file
// without the mark has another author and is never overwritten.
type Generated struct {
	Name string
	Mark string
}

// markWithin is the size of the beginning of a file that must contain its mark.
const markWithin = 1 << 10

// Check checks, before any long work, whether the file may be written.
func (g Generated) Check() error {
	info, err := os.Stat(g.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return creatable(g.Name)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name a file", g.Name)
	case !info.Mode().IsRegular(): // a device may be endless, and renaming would replace it
		return fmt.Errorf("%s is not a regular file; name one", g.Name)
	}
	f, err := os.Open(g.Name)
	if err != nil {
		return err
	}
	defer f.Close()
	begins, err := io.ReadAll(io.LimitReader(f, markWithin))
	switch {
	case err != nil:
		return err
	case !bytes.Contains(begins, []byte(g.Mark)):
		return fmt.Errorf("%s exists and was not written by this command: give another name, or move it away", g.Name)
	}
	return creatable(g.Name)
}

// Write replaces the file atomically.
func (g Generated) Write(text []byte) error {
	if err := g.Check(); err != nil {
		return err
	}
	return replaceFile(g.Name, text)
}

// replaceFile writes a file atomically.
func replaceFile(name string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), inPlace)
	if err != nil {
		return inPlaceOf(name, err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err := inPlaceOf(name, err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return inPlaceOf(name, os.Rename(f.Name(), name))
}
