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
	info, err := os.Stat(o.File)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return creatable(o.File)
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name a file", o.File)
	case !info.Mode().IsRegular(): // renaming would take a device or pipe away
		return fmt.Errorf("%s is not a regular file; leave --out away to write to standard output", o.File)
	case !o.Force:
		return fmt.Errorf("%s exists; --force overwrites it", o.File)
	}
	return creatable(o.File)
}

// creatable finds out whether a file can be made where it is to be; nothing is left behind.
func creatable(file string) error {
	f, err := os.CreateTemp(filepath.Dir(file), inPlace)
	if err != nil {
		return inPlaceOf(file, err)
	}
	return inPlaceOf(file, f.Close(), os.Remove(f.Name()))
}

// inPlace is how the names of files begin that take the place of others once they are written.
const inPlace = ".macemc-"

// inPlaceOf is errors, those about a file that is written in place of another one as such about that.
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

// placed writes to a file that is written in place of another one, which its errors name.
type placed struct {
	at   *os.File
	name string
}

func (p placed) Write(b []byte) (int, error) {
	n, err := p.at.Write(b)
	return n, inPlaceOf(p.name, err)
}

// write writes the document. A file is there as a whole or not at all.
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
	// A file that somebody else has made since is not overwritten.
	if err := os.Link(f.Name(), o.File); err != nil {
		return fmt.Errorf("%s: %w", o.File, errors.Unwrap(err))
	}
	return os.Remove(f.Name())
}
