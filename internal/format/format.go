// Package format keeps the tables of output formats. A document has one table, in which each format is one entry: commands, their help and
// their errors, and the debugger look formats up there.
package format

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// Format renders documents of type D.
type Format[D any] struct {
	Name string
	Ext  string // ending of file names, with its dot
	Doc  string // explains the format in help texts, in a few words
	// MaxSteps limits the steps of a run that the format can show. 0 means no limit.
	MaxSteps int
	Render   func(io.Writer, D) error
}

// Table lists the formats of a document. The first one is the default.
type Table[D any] []Format[D]

// Names returns the names of all formats.
func (t Table[D]) Names() (names []string) {
	for _, f := range t {
		names = append(names, f.Name)
	}
	return names
}

// Doc explains all formats, one a line, for help texts.
func (t Table[D]) Doc() string {
	var lines []string
	for _, f := range t {
		lines = append(lines, fmt.Sprintf("  %-8s  %s", f.Name, f.Doc))
	}
	return strings.Join(lines, "\n")
}

// Find returns the format with the given name.
func (t Table[D]) Find(name string) (f Format[D], ok bool) {
	for _, f := range t {
		if f.Name == name {
			return f, true
		}
	}
	return f, false
}

// Choose returns the format called name or, if name is empty, the one that the ending of file implies. A file without an ending gets the
// default. The error lists the formats that exist.
func (t Table[D]) Choose(name, file string) (f Format[D], err error) {
	ending := filepath.Ext(file)
	var endings []string
	for _, f := range t {
		if name == f.Name || name == "" && ending == f.Ext {
			return f, nil
		}
		endings = append(endings, f.Ext)
	}
	names := strings.Join(t.Names(), ", ")
	switch {
	case name != "":
		return f, fmt.Errorf("--format %q is not available; accepted are %s", name, names)
	case len(ending) > 1:
		return f, fmt.Errorf("the ending of %s names no format; accepted are %s, or --format with one of %s", file,
			strings.Join(endings, ", "), names)
	}
	return t[0], nil
}
