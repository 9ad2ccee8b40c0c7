package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/replay"
)

// last names the newest finding where the file of a run is expected. A file of that name is ./last.
const last = "last"

// lastVariable passes the file that "last" stood for to processes that execute the same command line.
const lastVariable = "MACEMC_LAST"

// runFile returns the file of a run that an argument names.
func (a *app) runFile(name string) (string, error) {
	if name != last {
		return name, nil
	}
	if file := os.Getenv(lastVariable); file != "" {
		return file, nil
	}
	file, err := newestFinding(".", func(file string) bool {
		if filepath.Base(file) == check.ErrorPath {
			return check.IsFinding(filepath.Dir(file))
		}
		return isSchedule(file)
	})
	if err != nil {
		return "", err
	}
	fmt.Fprintf(a.Stderr, "macemc: last is %s\n", file)
	if respawn := a.Respawn; respawn != nil {
		a.Respawn = func() *exec.Cmd {
			cmd := respawn()
			cmd.Env = append(cmd.Environ(), lastVariable+"="+file)
			return cmd
		}
	}
	return file, nil
}

// oneRun accepts one argument, which names a run, and sets its file.
func (a *app) oneRun(file *string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) (err error) {
		if err = exactlyOne("FILE")(cmd, args); err == nil {
			*file, err = a.runFile(args[0])
		}
		return err
	}
}

// isSchedule reports whether a file is a schedule that "macemc test" found.
func isSchedule(file string) bool {
	in := filepath.ToSlash(filepath.Dir(file)) + "/"
	return strings.Contains(in, "testdata/macemc/") && scheduleOf(file) != nil
}

// newestFinding returns the file that was written last, of those that are accepted, in the module that a folder lies in. Outside of a module it
// looks below that folder's findings only.
func newestFinding(dir string, accepted func(string) bool) (string, error) {
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
	err = filepath.WalkDir(cmp.Or(module, filepath.Join(wd, check.Root)), func(file string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // a folder that cannot be read, or is gone
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
		return "", fmt.Errorf("last: there is no finding in %s, and no module here", check.Root)
	}
	return "", errors.New("last: there is no finding in this module")
}
