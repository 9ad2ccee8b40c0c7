package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// output is where a command writes one document.
type output struct {
	file  string // "": standard output
	force bool   // overwrite
}

// check finds out, before there is anything to write, whether the file would be refused.
func (o *output) check() error {
	if o.file == "" {
		return nil
	}
	if info, err := os.Stat(filepath.Dir(o.file)); err != nil {
		return err
	} else if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", filepath.Dir(o.file))
	}
	info, err := os.Stat(o.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder; name a file", o.file)
	case !info.Mode().IsRegular(): // renaming would take a device or pipe away
		return fmt.Errorf("%s is no ordinary file; leave --out away to write to standard output", o.file)
	case !o.force:
		return fmt.Errorf("%s exists; --force overwrites it", o.file)
	}
	return nil
}

// write writes the document. A file is there as a whole or not at all.
func (a *app) write(o output, render func(io.Writer) error) (err error) {
	if o.file == "" {
		return render(a.stdout)
	}
	if err := o.check(); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(o.file), ".macemc-*")
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
	if o.force {
		return os.Rename(f.Name(), o.file)
	}
	// A file that somebody else has made since is not overwritten.
	if err := os.Link(f.Name(), o.file); err != nil {
		return fmt.Errorf("%s: %w", o.file, errors.Unwrap(err))
	}
	return os.Remove(f.Name())
}
