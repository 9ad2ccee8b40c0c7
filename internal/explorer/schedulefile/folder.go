package schedulefile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/testflags"
	"github.com/macemc/macemc/internal/testsched"
)

// Folder returns the folder of a test's findings. The working directory is the folder of the package.
func Folder(test string) string {
	return filepath.Join("testdata", "macemc", testflags.TestPath(test))
}

// removeEmpty removes a folder of findings, and those above it, if they are empty. testdata stays unless made is true:
// this process has made it.
func removeEmpty(dir string, made bool) {
	for ; os.Remove(dir) == nil; dir = filepath.Dir(dir) {
		if parent := filepath.Base(filepath.Dir(dir)); filepath.Base(dir) == "testdata" || parent == "testdata" && !made {
			return
		}
	}
}

// List returns the stored schedules of a unit. Other files in the folder, such as error.path, belong to checked systems.
func List(u testsched.Unit) (list []*Stored, err error) {
	files, err := os.ReadDir(Folder(u.Test))
	if err == nil && len(files) == 0 {
		removeEmpty(Folder(u.Test), false)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range files {
		if ok, _ := filepath.Match("*-[0-9]*.path", e.Name()); !ok {
			continue
		}
		file := filepath.Join(Folder(u.Test), e.Name())
		f, err := Load(file)
		if err == nil {
			if !u.Owns(f.Unit) {
				continue
			}
			err = f.check(u)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		list = append(list, f)
	}
	return list, nil
}

// Writer stores findings. One that is not yet confirmed or minimized has a file in case the process ends before it is.
type Writer struct {
	unconfirmed string // file of such a finding; an empty string means none
	made        bool   // the process has made testdata
}

// Write writes a finding of a kind to a new file, or over the file of the unconfirmed finding, which it removes otherwise. It returns the
// file that already holds the same text, or the same finding without data races. A confirmed finding replaces one that only the race
// detector can show.
func (w *Writer) Write(f *Stored, kind testsched.Kind, confirmed bool) (file string, err error) {
	file, created, err := w.write(f, kind, confirmed)
	if file != w.unconfirmed {
		w.Discard()
	}
	if confirmed {
		w.unconfirmed = ""
	} else if created {
		w.unconfirmed = file
	}
	return file, err
}

// Discard removes the file of the unconfirmed finding.
func (w *Writer) Discard() {
	if w.unconfirmed != "" {
		os.Remove(w.unconfirmed)
		removeEmpty(filepath.Dir(w.unconfirmed), w.made)
		w.unconfirmed = ""
	}
}

// write writes a finding. created is false if another file holds it.
func (w *Writer) write(f *Stored, kind testsched.Kind, confirmed bool) (file string, created bool, err error) {
	var b strings.Builder
	f.WriteTo(&b)
	dir := Folder(f.Test)
	for n := 1; ; n++ {
		file = filepath.Join(dir, fmt.Sprintf("%s-%d.path", strings.ReplaceAll(string(kind), " ", "-"), n))
		old, err := os.ReadFile(file)
		equal := err == nil && same(string(old), b.String())
		if equal && (f.CriticalWho == 0 || string(old) == b.String()) {
			return file, file == w.unconfirmed, nil
		}
		if err == nil && !equal && file != w.unconfirmed {
			switch g, err := Read(bytes.NewReader(old)); {
			case err != nil || !f.ButRaces(g):
				continue
			case f.Race:
				return file, false, nil
			case !confirmed:
				continue
			}
		}
		_, missing := os.Stat(filepath.Dir(Folder("")))
		w.made = w.made || missing != nil
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return "", false, err
		}
		if err := outfile.Replace(file, []byte(b.String()), 0o666); err != nil {
			removeEmpty(dir, w.made)
			return "", false, err
		}
		return file, !equal, nil
	}
}
