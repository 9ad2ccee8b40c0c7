package gotest

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/replay"
)

// Last is the argument that stands for the newest finding, in place of a run's file. A file of that name is ./last.
const Last = "last"

// IsSchedule reports whether a file is a schedule that "macemc test" found.
func IsSchedule(file string) bool {
	in := filepath.ToSlash(filepath.Dir(file)) + "/"
	s, err := schedulefile.ReadFile(file)
	return strings.Contains(in, "testdata/macemc/") && s != nil && err == nil
}

// NewestFinding returns the newest accepted file in the module that contains a folder. Outside a module it searches only the findings below
// that folder.
func NewestFinding(dir string, accepted func(string) bool) (string, error) {
	wd, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	module := replay.Module(wd)
	type found struct {
		file string
		time time.Time
	}
	var all []found
	err = filepath.WalkDir(cmp.Or(module, filepath.Join(wd, outfolder.Root)), func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // ignore folders that are unreadable or removed
		case e.IsDir():
			if name := e.Name(); file != module && (strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor") {
				return filepath.SkipDir
			}
		case filepath.Ext(file) == ".path" && e.Type().IsRegular():
			if info, err := e.Info(); err == nil {
				all = append(all, found{file, info.ModTime()})
			}
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	slices.SortStableFunc(all, func(x, y found) int { return y.time.Compare(x.time) })
	for _, f := range all {
		if accepted(f.file) {
			if rel, err := filepath.Rel(wd, f.file); err == nil && dir == "." {
				return rel, nil
			}
			return f.file, nil
		}
	}
	if module == "" {
		return "", fmt.Errorf("last: there is no finding in %s, and this folder is not in a module", outfolder.Root)
	}
	return "", errors.New("last: there is no finding in this module")
}
