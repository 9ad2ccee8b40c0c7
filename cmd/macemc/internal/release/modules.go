package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// root is the root module.
const root = "github.com/macemc/macemc"

// workspace is a checkout with its modules.
type workspace struct {
	dir     string
	modules []string // folders below dir; "." is the first
	version string   // version that the modules require of each other
}

// works are the folders with go.work files.
var works = [...]string{".", "glue", "glue/services/pebble"}

// load reads the go.work and go.mod files.
func load(dir string) (*workspace, error) {
	w := &workspace{dir: dir}
	for _, in := range works {
		work, err := w.work(in)
		if err != nil {
			return nil, err
		}
		for _, u := range work.Use {
			w.modules = append(w.modules, path.Join(in, u.Path))
		}
	}
	slices.Sort(w.modules)
	w.modules = slices.Compact(w.modules)
	for _, m := range w.modules {
		mod, err := w.read(m)
		if err != nil {
			return nil, err
		}
		if mod.Module.Mod.Path != path.Join(root, m) {
			return nil, fmt.Errorf("%s is the module %s", m, mod.Module.Mod.Path)
		}
		if len(mod.Replace) > 0 {
			return nil, fmt.Errorf("%s: go.mod replaces %s, so that go install refuses it", m, mod.Replace[0].Old.Path)
		}
		for _, r := range mod.Require {
			switch {
			case !own(r.Mod.Path):
			case m == ".":
				return nil, fmt.Errorf("%s requires %s, which requires it", root, r.Mod.Path)
			case w.version != "" && w.version != r.Mod.Version:
				return nil, fmt.Errorf("%s requires %s %s, where others require %s", m, r.Mod.Path, r.Mod.Version, w.version)
			default:
				w.version = r.Mod.Version
			}
		}
	}
	return w, nil
}

func (w *workspace) file(in, name string) string {
	return filepath.Join(w.dir, filepath.FromSlash(in), name)
}

func (w *workspace) work(in string) (*modfile.WorkFile, error) {
	name := w.file(in, "go.work")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.ParseWork(name, text, nil)
}

func (w *workspace) read(in string) (*modfile.File, error) {
	name := w.file(in, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, text, nil)
}

// own reports whether a module belongs to this repository.
func own(module string) bool { return module == root || strings.HasPrefix(module, root+"/") }

// set writes the version into all files that contain it.
func (w *workspace) set(version string) error {
	if err := module.Check(root, version); err != nil {
		return err
	}
	if module.CanonicalVersion(version) != version {
		return fmt.Errorf("%q is not a complete version, as v1.2.3", version)
	}
	for _, m := range w.modules {
		mod, err := w.read(m)
		if err != nil {
			return err
		}
		for _, r := range slices.Clone(mod.Require) {
			if own(r.Mod.Path) {
				if err := mod.AddRequire(r.Mod.Path, version); err != nil {
					return err
				}
			}
		}
		text, err := mod.Format()
		if err != nil {
			return err
		}
		if err := os.WriteFile(w.file(m, "go.mod"), text, 0o644); err != nil {
			return err
		}
	}
	for _, in := range works {
		work, err := w.work(in)
		if err != nil {
			return err
		}
		for _, r := range work.Replace {
			if len(r.Syntax.Token) < 2 || r.Syntax.Token[len(r.Syntax.Token)-3] != r.Old.Version {
				return fmt.Errorf("%s: the replacement of %s is not that of one version", w.file(in, "go.work"), r.Old.Path)
			}
			r.Syntax.Token[len(r.Syntax.Token)-3] = version
		}
		if err := os.WriteFile(w.file(in, "go.work"), modfile.Format(work.Syntax), 0o644); err != nil {
			return err
		}
	}
	return nil
}
