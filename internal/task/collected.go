package task

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/report/render"
)

// Collected maps names of [render.Collected] formats to the files that a search also writes its report to. A format
// on [StandardOutput] replaces the report there.
type Collected map[string]string

// StandardOutput is the name of standard output as a file.
const StandardOutput = "-"

// Check checks, before any long work, whether the files may be written.
func (c Collected) Check() error {
	for _, f := range render.CollectedFormats() {
		if file := c[f.Name]; file != "" && file != StandardOutput {
			if err := (outfile.Generated{Name: file, Mark: f.Mark}).Check(); err != nil {
				return fmt.Errorf("--%s: %w", f.Name, err)
			}
		}
	}
	return nil
}

// Printed returns the name of the format that goes to standard output. An empty string means none.
func (c Collected) Printed() (name string) {
	for _, f := range render.CollectedFormats() {
		if c[f.Name] == StandardOutput {
			name = f.Name
		}
	}
	return name
}

// Validate returns an error if two documents would go to the same file, or to standard output.
func (c Collected) Validate(asJSON bool) error {
	by := map[string]string{}
	if asJSON {
		by[StandardOutput] = "--json"
	}
	for _, f := range render.CollectedFormats() {
		if c[f.Name] == "" {
			continue
		}
		file, flag := filepath.Clean(c[f.Name]), "--"+f.Name+" "+c[f.Name]
		switch first := by[file]; {
		case first == "":
			by[file] = flag
		case file == StandardOutput:
			return fmt.Errorf("%s and %s both write to standard output; give one of them", first, flag)
		default:
			return fmt.Errorf("%s and %s write to the same file; name two", first, flag)
		}
	}
	return nil
}

// Part is the key of a file that gets the results as JSON. A program that collects those of several searches reads it.
const Part = "part"

// Write writes the results of searches in each format.
func (c Collected) Write(p *Process, all ...render.Results) (err error) {
	if file := c[Part]; file != "" {
		text, e := json.Marshal(all[0])
		err = errors.Join(e, os.WriteFile(file, text, 0o600))
	}
	for _, f := range render.CollectedFormats() {
		file := c[f.Name]
		if file == "" {
			continue
		}
		var b bytes.Buffer
		e := f.Results(&b, all)
		switch {
		case e != nil:
		case file == StandardOutput:
			_, e = p.Stdout.Write(b.Bytes())
		default:
			e = outfile.Generated{Name: file, Mark: f.Mark}.Write(b.Bytes())
		}
		err = errors.Join(err, e)
	}
	return err
}
