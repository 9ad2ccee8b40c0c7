package gotest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/check/exitcode"
	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/overlay"
	"github.com/macemc/macemc/internal/task"
)

// Doctor returns the command doctor.
func (a Runner) Doctor() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Check what this machine needs for tests and goroutine systems",
		Long: `Prints the version of Go that this folder uses, whether its distribution can be modified for
"macemc test" and goroutine systems, in a copy, whether the copy is built, whether the race
detector can be used, and the sizes of the caches.

Exit status: 0 if "macemc test" works, 2 if it does not.`,
		Example: "  macemc doctor",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.doctor(cmd.Context()) },
	}
}

func (a Runner) doctor(ctx context.Context) error {
	say := func(name, text string) { fmt.Fprintf(a.Stdout, "%-14s %s\n", name, text) }
	works := true
	out, err := child.GoOutput(ctx, "", nil, "env", "GOVERSION", "GOOS", "GOARCH", "CGO_ENABLED", "CC", "GOCACHE")
	if err != nil {
		say("go", "missing: "+err.Error())
		return task.Exit(exitcode.Usage)
	}
	env := strings.Split(out, "\n")
	say("go", env[0]+" "+env[1]+"/"+env[2])
	changed, err := overlay.Prepare(ctx, ".")
	switch places, ok := errors.AsType[*overlay.PlacesError](err); {
	case err == nil:
		say("overlay", "applies")
		if libraryBuilt(ctx, changed) {
			say("library", "the changed standard library is built")
		} else {
			say("library", `the next "macemc test" builds the changed standard library, which takes about a minute`)
		}
	case ok:
		works = false
		say("overlay", "does not apply to this version of Go: "+places.Error())
	default:
		works = false
		say("overlay", err.Error())
	}
	compiler := env[4]
	name, _, _ := strings.Cut(compiler, " ")
	if _, err := exec.LookPath(name); err == nil && env[3] == "1" {
		say("race detector", "with "+compiler)
	} else {
		say("race detector", "needs cgo and a C compiler: CGO_ENABLED is "+env[3]+", CC is "+compiler)
	}
	if cache, err := os.UserCacheDir(); err == nil {
		dir := filepath.Join(cache, "macemc")
		say("cache", fmt.Sprintf("%s, %d MB", dir, folderSize(dir)>>20))
	}
	say("build cache", fmt.Sprintf("%s, %d MB", env[5], folderSize(env[5])>>20))
	if !works {
		return task.Exit(exitcode.Usage)
	}
	return nil
}

// folderSize returns the size of the files in a folder in bytes.
func folderSize(dir string) (size int64) {
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			if info, err := d.Info(); err == nil {
				size += info.Size()
			}
		}
		return nil
	})
	return size
}

// libraryBuilt reports whether the build cache holds the changed standard library.
func libraryBuilt(ctx context.Context, changed overlay.Build) bool {
	// Package testing imports the changed package runtime, on which all others depend.
	args := slices.Concat([]string{"list", "-f={{.Stale}}"}, changed.Flags(""), []string{"testing"})
	out, err := child.GoOutput(ctx, ".", changed.Env, args...)
	return err == nil && out == "false"
}
