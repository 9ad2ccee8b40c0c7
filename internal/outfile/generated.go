package outfile

import (
	"bytes"
	"fmt"
	"io"

	"github.com/macemc/macemc/internal/infile"
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
	exists, err := regular(g.Name, "name one")
	if err != nil {
		return err
	}
	if exists {
		if err := g.marked(); err != nil {
			return err
		}
	}
	return Creatable(g.Name)
}

// marked returns an error if the file does not contain its mark.
func (g Generated) marked() error {
	f, err := infile.Open(g.Name)
	if err != nil {
		return err
	}
	defer f.Close()
	begins, err := io.ReadAll(io.LimitReader(f, markWithin))
	if err == nil && !bytes.Contains(begins, []byte(g.Mark)) {
		err = fmt.Errorf("%s exists and was not written by this command: give another name, or move it away", g.Name)
	}
	return err
}

// Write replaces the file.
func (g Generated) Write(text []byte) error {
	if err := g.Check(); err != nil {
		return err
	}
	return replace(g.Name, contains(text), rename)
}

// contains returns a function that writes a text.
func contains(text []byte) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	}
}
