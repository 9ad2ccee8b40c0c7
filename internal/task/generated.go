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

// Generated is a file that a command writes anew each time. Its first lines hold Mark, by which it is known
// again: a file without it was written by somebody else and is never overwritten.
type Generated struct {
	Name string
	Mark string
}

// markWithin is in how much of the beginning of a file its mark must lie.
const markWithin = 1 << 10

// Check finds out, before anything long is done, whether the file may be written.
func (g Generated) Check() error {
	info, err := os.Stat(g.Name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return creatable(g.Name)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name a file", g.Name)
	case !info.Mode().IsRegular(): // a device may be read without end, and renaming would take it away
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

// Write replaces the file in one go.
func (g Generated) Write(text []byte) error {
	if err := g.Check(); err != nil {
		return err
	}
	return replaceFile(g.Name, text)
}

// replaceFile writes a file in one go.
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
