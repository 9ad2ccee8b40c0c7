package outfile

import (
	"fmt"
	"io"
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
	exists, err := regular(o.File, "leave --out away to write to standard output")
	switch {
	case err != nil:
		return err
	case exists && !o.Force:
		return fmt.Errorf("%s exists; --force overwrites it", o.File)
	}
	return Creatable(o.File)
}

// Write renders the document. Without a file it goes to stdout.
func (o *Output) Write(stdout io.Writer, render func(io.Writer) error) error {
	if o.File == "" {
		return render(stdout)
	}
	if err := o.Check(); err != nil {
		return err
	}
	if o.Force {
		return replace(o.File, render, rename)
	}
	return replace(o.File, render, link)
}
