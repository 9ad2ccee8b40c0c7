package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/child"
	"github.com/macemc/macemc/internal/overlay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/scratch"
	"github.com/macemc/macemc/internal/task"
)

// binary is the test binary of a package.
type binary struct {
	a    *app
	temp *scratch.Folder // contains the binary
	env  []string        // additional environment variables
	listedPackage
	others []report.OtherVersion // modules that it was built with in other versions
}

// listedPackage is the description of a package by go list.
type listedPackage struct {
	Dir, ImportPath           string
	TestGoFiles, XTestGoFiles []string
}

// missingError is the error for a package that does not exist.
type missingError struct{ text string }

func (e *missingError) Error() string { return e.text }

// build builds the tests of a package. It searches for the package from the current folder, then from the folder other.
func (a *app) build(ctx context.Context, other, pkg string) (*binary, error) {
	if isPattern(pkg) {
		return nil, fmt.Errorf("%s is a pattern; name one package, as in ./mysvc (macemc search takes patterns)", pkg)
	}
	b := &binary{a: a}
	in, name := "", pkg
	if isFolder(pkg) { // it may belong to another module
		if info, err := os.Stat(pkg); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("folder %s does not exist", pkg)
		}
		in, name = pkg, "."
	}
	var err error
	b.listedPackage, err = a.listPkg(ctx, in, name)
	if err != nil && other != "" && ctx.Err() == nil {
		if there, e := a.listPkg(ctx, other, name); e == nil {
			b.listedPackage, err = there, nil
		}
	}
	switch {
	case err != nil && in == "" && ctx.Err() == nil:
		return nil, &missingError{err.Error()}
	case err != nil:
		return nil, err
	}
	if len(b.TestGoFiles)+len(b.XTestGoFiles) == 0 {
		return nil, fmt.Errorf("%s has no tests; a system is checked by a test that calls mctest.Check", b.ImportPath)
	}
	if b.temp, err = scratch.New(""); err != nil {
		return nil, err
	}
	status := task.NewStatus(a.Stderr, a.Terminal)
	defer status.Long("building the tests of " + b.ImportPath)()
	dependencies := a.dependencies(ctx, b.Dir)
	var changed overlay.Build // the zero value stands for an unchanged runtime
	if slices.ContainsFunc(dependencies, func(d dependency) bool { return d.path == bubblePackage }) {
		changed, err = overlay.Prepare(ctx, b.Dir)
	}
	if err == nil {
		if changed.Overlay != "" {
			b.env = []string{"GOMAXPROCS=1"} // package bubble runs one thread
			status.Tell(0, "building the tests of "+b.ImportPath+", and once the standard library (package bubble needs a changed copy of the runtime)")
		}
		_, err = a.goCommand(ctx, b.Dir, changed.Env, slices.Concat([]string{"test", "-c", "-o", b.file()}, a.buildFlags(changed), []string{"."}))
	}
	if err == nil {
		if _, e := os.Stat(b.file()); e != nil {
			err = fmt.Errorf("%s has no tests under these build tags (--tags)", b.ImportPath)
		}
	}
	if err == nil {
		b.others, err = a.otherVersions(ctx, b.Dir, dependencies)
	}
	if err != nil {
		b.remove()
		return nil, err
	}
	status.Clear()
	for _, o := range b.others {
		fmt.Fprintf(a.Stderr, "macemc: %s is built with %v\n", b.ImportPath, o)
	}
	return b, nil
}

// isFolder reports whether the name of a package is a folder, not an import path.
func isFolder(pkg string) bool {
	first, _, _ := strings.Cut(filepath.ToSlash(pkg), "/")
	return first == "." || first == ".." || filepath.IsAbs(pkg)
}

// bubblePackage is the package for systems of ordinary programs. Their nodes need a changed copy of Go's runtime.
const bubblePackage = "github.com/macemc/macemc/bubble"

// buildFlags returns the flags of a build, with the changed runtime if there is an overlay.
func (a *app) buildFlags(changed overlay.Build) []string {
	switch {
	case changed.Overlay != "":
		return changed.Flags(a.tags)
	case a.tags != "":
		return []string{"-tags=" + a.tags}
	}
	return nil
}

func (a *app) listPkg(ctx context.Context, dir, pkg string) (l listedPackage, err error) {
	out, err := a.goTool(ctx, dir, "list", "-json=Dir,ImportPath,TestGoFiles,XTestGoFiles", "--", pkg)
	if err != nil {
		return l, err
	}
	if err := json.Unmarshal(out, &l); err != nil {
		return l, fmt.Errorf("go list %s: %w", cmp.Or(dir, pkg), err)
	}
	return l, nil
}

// goTool runs a go command with this command's build tags. The text of an error is printed unchanged to standard error.
func (a *app) goTool(ctx context.Context, dir string, args ...string) ([]byte, error) {
	if a.tags != "" {
		args = slices.Insert(args, 1, "-tags="+a.tags)
	}
	return a.goCommand(ctx, dir, nil, args)
}

// goCommand runs a complete go command with additional environment variables.
func (a *app) goCommand(ctx context.Context, dir string, env, args []string) ([]byte, error) {
	cmd := child.GoCommand(ctx, env, args)
	cmd.Dir = dir
	o, err := child.Run(ctx, cmd, 0)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("the go command is needed to build a package: %w", err)
	case o.Status == 0:
		return []byte(o.Stdout), nil
	}
	if text := strings.TrimSpace(o.Stderr + o.Stdout); text != "" {
		return nil, &toolError{text}
	}
	select { // an interrupt ends it, too, and this process may be notified later
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(time.Second):
		return nil, fmt.Errorf("go %s: %v", args[0], cmd.ProcessState)
	}
}

// toolError is the output of a failed go command, whose lines are printed unchanged.
type toolError struct{ output string }

func (e *toolError) Error() string { return e.output }

func (b *binary) file() string {
	if b.a.binaries == "" {
		return filepath.Join(b.temp.Path, "package.test")
	}
	return filepath.Join(b.a.binaries, fmt.Sprintf("%x.test", sha256.Sum256([]byte(b.Dir+"\n"+b.a.tags))))
}

func (b *binary) remove() { b.temp.Remove() }
