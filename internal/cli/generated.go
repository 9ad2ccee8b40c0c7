package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// generated is a file that a command writes anew each time. Its first lines hold mark, by which it is known
// again: a file without it was written by somebody else and is never overwritten.
type generated struct {
	name string
	mark string
}

// markWithin is in how much of the beginning of a file its mark must lie.
const markWithin = 1 << 10

// check finds out, before anything long is done, whether the file may be written.
func (g generated) check() error {
	info, err := os.Stat(g.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		info, err := os.Stat(filepath.Dir(g.name))
		if err == nil && !info.IsDir() {
			err = fmt.Errorf("%s is no folder", filepath.Dir(g.name))
		}
		return err
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name a file", g.name)
	case !info.Mode().IsRegular(): // a device may be read without end, and renaming would take it away
		return fmt.Errorf("%s is no ordinary file; name one", g.name)
	}
	f, err := os.Open(g.name)
	if err != nil {
		return err
	}
	defer f.Close()
	begins, err := io.ReadAll(io.LimitReader(f, markWithin))
	switch {
	case err != nil:
		return err
	case !bytes.Contains(begins, []byte(g.mark)):
		return fmt.Errorf("%s exists and was not written by this command: give another name, or move it away", g.name)
	}
	return nil
}

// write replaces the file in one go.
func (g generated) write(text []byte) error {
	if err := g.check(); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(g.name), ".macemc-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(text)
	if err := errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), g.name)
}
