package task

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Output is the destination of a command's document.
type Output struct {
	File  string // an empty string means standard output
	Force bool   // overwrite
}

// Check checks, before there is anything to write, whether the file would be refused.
func (o *Output) Check() error {
	if o.File == "" {
		return nil
	}
	info, err := os.Stat(o.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return creatable(o.File)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name a file", o.File)
	case !info.Mode().IsRegular(): // renaming would replace a device or pipe
		return fmt.Errorf("%s is not a regular file; leave --out away to write to standard output", o.File)
	case !o.Force:
		return fmt.Errorf("%s exists; --force overwrites it", o.File)
	}
	return creatable(o.File)
}

// creatable checks whether a file can be created at its place, and leaves nothing behind.
func creatable(file string) error {
	f, err := os.CreateTemp(filepath.Dir(file), inPlace)
	if err != nil {
		return inPlaceOf(file, err)
	}
	return inPlaceOf(file, f.Close(), os.Remove(f.Name()))
}

// inPlace is the name prefix of temporary files that replace another file when complete.
const inPlace = ".macemc-"

// inPlaceOf joins errors. Errors about a temporary file become errors about the file that it replaces.
func inPlaceOf(file string, errs ...error) error {
	errs = slices.Clone(errs)
	for i, err := range errs {
		switch of := err.(type) {
		case *fs.PathError:
			if strings.HasPrefix(filepath.Base(of.Path), inPlace) {
				errs[i] = &fs.PathError{Op: of.Op, Path: file, Err: of.Err}
			}
		case *os.LinkError:
			errs[i] = &fs.PathError{Op: of.Op, Path: file, Err: of.Err}
		}
	}
	return errors.Join(errs...)
}

// placed writes to a temporary file. Its errors name the file that it replaces.
type placed struct {
	at   *os.File
	name string
}

func (p placed) Write(b []byte) (int, error) {
	n, err := p.at.Write(b)
	return n, inPlaceOf(p.name, err)
}

// write writes the document. A file appears completely or not at all.
func (p *Process) write(o Output, render func(io.Writer) error) (err error) {
	if o.File == "" {
		return render(p.Stdout)
	}
	if err := o.Check(); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(o.File), inPlace)
	if err != nil {
		return inPlaceOf(o.File, err)
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if err = inPlaceOf(o.File, render(placed{f, o.File}), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	if o.Force {
		return inPlaceOf(o.File, os.Rename(f.Name(), o.File))
	}
	// A file that another process made meanwhile is not overwritten.
	if err := os.Link(f.Name(), o.File); err != nil {
		return fmt.Errorf("%s: %w", o.File, errors.Unwrap(err))
	}
	return os.Remove(f.Name())
}
