package outfile

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

// Creatable checks whether a file can be created at its place, and leaves nothing behind.
func Creatable(file string) error {
	f, err := os.CreateTemp(filepath.Dir(file), inPlace)
	if err != nil {
		return inPlaceOf(file, err)
	}
	return inPlaceOf(file, f.Close(), os.Remove(f.Name()))
}

// regular reports whether a file exists. It returns an error if it is not a regular file: a device may be endless, and renaming would
// replace it. otherwise is the advice in that error.
func regular(file, otherwise string) (exists bool, err error) {
	info, err := os.Stat(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case info.IsDir():
		return false, fmt.Errorf("%s is a folder; name a file", file)
	case !info.Mode().IsRegular():
		return false, fmt.Errorf("%s is not a regular file; %s", file, otherwise)
	}
	return true, nil
}

// replace renders a temporary file and moves it, by rename or link, to its place.
func replace(file string, render func(io.Writer) error, move func(from, to string) error) error {
	f, err := os.CreateTemp(filepath.Dir(file), inPlace)
	if err != nil {
		return inPlaceOf(file, err)
	}
	defer os.Remove(f.Name())
	if err := inPlaceOf(file, render(placed{f, file}), f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return move(f.Name(), file)
}

// Replace writes a file, in place of one that may exist. Processes that write the same file at once can fail.
func Replace(file string, text []byte, perm fs.FileMode) error {
	temp := filepath.Join(filepath.Dir(file), inPlace+filepath.Base(file))
	err := inPlaceOf(file, os.WriteFile(temp, text, perm))
	if err == nil {
		err = rename(temp, file)
	}
	if err != nil {
		os.Remove(temp)
	}
	return err
}

// rename moves a temporary file to its place and replaces a file there.
func rename(from, to string) error { return inPlaceOf(to, os.Rename(from, to)) }

// link moves a temporary file to its place, unless another process made a file there meanwhile.
func link(from, to string) error {
	if err := os.Link(from, to); err != nil {
		return fmt.Errorf("%s: %w", to, errors.Unwrap(err))
	}
	return nil
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
