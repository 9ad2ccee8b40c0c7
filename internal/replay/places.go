package replay

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/infile"
)

// Places formats places in the code. It must not be used concurrently.
type Places struct {
	dir    string // working directory, or "" if unknown
	module string // folder of its module, or ""
	short  map[string]string
	files  map[string]*sourceFile
	cases  map[handledAt]string
}

// NewPlaces returns a formatter relative to the working directory.
func NewPlaces() *Places {
	p := &Places{short: map[string]string{}, files: map[string]*sourceFile{}, cases: map[handledAt]string{}}
	dir, err := os.Getwd()
	if err != nil {
		return p
	}
	p.dir, p.module = dir, Module(dir)
	return p
}

// Module returns the folder of the module that a folder lies in, or "" if there is none.
func Module(dir string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// Short formats a place, file:line with the file as the compiler named it. A file below the working directory or in
// the same module is relative to the working directory. Others keep only their last folder, since paths of the
// machine do not belong in reports.
func (p *Places) Short(place string) string {
	if s, ok := p.short[place]; ok || place == "" {
		return s
	}
	file, line := SplitPlace(place)
	text := shortFile(file)
	if p.inside(file) {
		if rel, err := filepath.Rel(p.dir, filepath.FromSlash(file)); err == nil {
			text = filepath.ToSlash(rel)
		}
	}
	if line > 0 {
		text += ":" + strconv.Itoa(line)
	}
	p.short[place] = text
	return text
}

func (p *Places) inside(file string) bool {
	file = filepath.FromSlash(file)
	for _, dir := range []string{p.dir, p.module} {
		if dir != "" && strings.HasPrefix(file, strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator)) {
			return true
		}
	}
	return false
}

// SplitPlace splits file:line. The line is 0 if there is none.
func SplitPlace(place string) (file string, line int) {
	i := strings.LastIndexByte(place, ':')
	if i < 0 {
		return place, 0
	}
	n, err := strconv.Atoi(place[i+1:])
	if err != nil {
		return place, 0
	}
	return place[:i], n
}

// shortFile returns a file's name with its folder.
func shortFile(file string) string {
	dir, name := path.Split(file)
	if dir == "" || dir == "/" {
		return name
	}
	return path.Join(path.Base(dir), name)
}

// Place returns the place of the code that handled the step's event, with the file as the compiler named it. The
// line is 0 if unknown.
func (s *TraceStep) Place() (file string, line int) {
	if s.place == "" {
		return "", 0
	}
	return SplitPlace(s.place)
}

// SetPlace sets [TraceStep.Place], as file:line.
func (s *TraceStep) SetPlace(place string) { s.place = place }

// Code returns the source around [TraceStep.Place], with around lines before and after it, and the number of the
// first line. Tabs are replaced by spaces. The error describes why the source is missing.
func (s *TraceStep) Code(around int) (first int, lines []string, err error) {
	file, line := s.Place()
	if line == 0 {
		return 0, nil, fmt.Errorf("no code of the service handled step %d", s.Number)
	}
	first, lines, err = Source(file, line, around)
	switch {
	case errors.Is(err, errOtherSource):
		err = fmt.Errorf("%s %w", s.Source, err)
	case err != nil:
		err = fmt.Errorf("the source of %s is not at hand: %w", s.Source, errors.Unwrap(err))
	}
	return first, lines, err
}

var errOtherSource = errors.New("has fewer lines: it is not what was compiled")

// Source returns so many lines of a file before and after a line, and the number of the first of them. Tabs are spaces.
func Source(file string, line, around int) (first int, lines []string, err error) {
	text, err := infile.Read(file)
	if err != nil {
		return 0, nil, err
	}
	all := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	if line > len(all) {
		return 0, nil, errOtherSource
	}
	first = max(1, line-around)
	for _, l := range all[first-1 : min(len(all), line+around)] {
		lines = append(lines, strings.ReplaceAll(l, "\t", "    "))
	}
	return first, lines, nil
}
