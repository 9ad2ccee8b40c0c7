package task

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Output is where a command writes one document.
type Output struct {
	File  string // "": standard output
	Force bool   // overwrite
}

// Check finds out, before there is anything to write, whether the file would be refused.
func (o *Output) Check() error {
	if o.File == "" {
		return nil
	}
	if info, err := os.Stat(filepath.Dir(o.File)); err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", filepath.Dir(o.File))
	}
	info, err := os.Stat(o.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name a file", o.File)
	case !info.Mode().IsRegular(): // renaming would take a device or pipe away
		return fmt.Errorf("%s is no ordinary file; leave --out away to write to standard output", o.File)
	case !o.Force:
		return fmt.Errorf("%s exists; --force overwrites it", o.File)
	}
	return nil
}

// write writes the document. A file is there as a whole or not at all.
func (p *Process) write(o Output, render func(io.Writer) error) (err error) {
	if o.File == "" {
		return render(p.Stdout)
	}
	if err := o.Check(); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(o.File), ".macemc-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	err = render(f)
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	if o.Force {
		return os.Rename(f.Name(), o.File)
	}
	// A file that somebody else has made since is not overwritten.
	if err := os.Link(f.Name(), o.File); err != nil {
		return fmt.Errorf("%s: %w", o.File, errors.Unwrap(err))
	}
	return os.Remove(f.Name())
}
