package mctest

import (
	"cmp"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/task"
)

// These variables select the work of a new process of the test binary, in addition to its role.
const (
	systemVar = "MACEMC_SYSTEM"    // the identity of the system to check
	reportVar = "MACEMC_REPORT_TO" // the file for text and status
	folderVar = "MACEMC_FOLDER"    // see userFolder
)

// respawn returns a constructor of commands that run this test again in a new process, with the same flags except those
// of package testing.
func (c *checking) respawn(env ...string) func() *exec.Cmd {
	run := task.RunPattern(c.Name())
	return func() *exec.Cmd {
		args := []string{"-test.run=" + run, "-test.count=1", "-test.timeout=0"}
		if testing.Short() {
			args = append(args, "-test.short")
		}
		flag.Visit(func(f *flag.Flag) {
			if !strings.HasPrefix(f.Name, "test.") {
				args = append(args, "-"+f.Name+"="+f.Value.String())
			}
		})
		if flag.NArg() > 0 {
			args = append(append(args, "--"), flag.Args()...)
		}
		cmd := child.Self(args...)
		cmd.Env = append(append(os.Environ(), systemVar+"="+c.identity(), folderVar+"="+userFolder()), env...)
		return cmd
	}
}

// fromUser returns the path of a file of the package, and the argument for the package, from the folder of the user's command if that is
// known, or else from the package's folder.
func fromUser(file string) (path, pkg string) {
	folder := cmp.Or(userFolder(), os.Getenv(folderVar))
	here, err := os.Getwd()
	if err != nil || folder == "" {
		return file, "."
	}
	rel, err := filepath.Rel(folder, here)
	switch {
	case err != nil || rel == ".":
		return file, "."
	case !filepath.IsAbs(file):
		file = filepath.Join(rel, file)
	}
	return file, "." + string(filepath.Separator) + rel
}

// tester returns the command that runs this test.
func (c *checking) tester() string {
	if c.takesTurns() {
		return "macemc test"
	}
	return "go test"
}
