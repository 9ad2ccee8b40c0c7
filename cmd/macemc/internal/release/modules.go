package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// root is the module that the others belong to.
const root = "github.com/macemc/macemc"

// workspace is a checkout with its modules.
type workspace struct {
	dir     string
	modules []string // folders below dir; "." is the first
	version string   // that the modules require of each other
}

// load reads go.work and the go.mod files.
func load(dir string) (*workspace, error) {
	text, err := os.ReadFile(filepath.Join(dir, "go.work"))
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork("go.work", text, nil)
	if err != nil {
		return nil, err
	}
	w := &workspace{dir: dir}
	for _, u := range work.Use {
		w.modules = append(w.modules, path.Clean(u.Path))
	}
	slices.Sort(w.modules)
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

func (w *workspace) file(module, name string) string {
	return filepath.Join(w.dir, filepath.FromSlash(module), name)
}

func (w *workspace) read(module string) (*modfile.File, error) {
	name := w.file(module, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, text, nil)
}

// own reports whether a module is one of this repository.
func own(module string) bool { return module == root || strings.HasPrefix(module, root+"/") }

// set writes the version into all files that hold it.
func (w *workspace) set(version string) error {
	if !semver.IsValid(version) || semver.Canonical(version) != version {
		return fmt.Errorf("%q is no version like v1.2.3", version)
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
	name := filepath.Join(w.dir, "go.work")
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	work, err := modfile.ParseWork(name, text, nil)
	if err != nil {
		return err
	}
	for _, r := range slices.Clone(work.Replace) {
		if err := work.DropReplace(r.Old.Path, r.Old.Version); err != nil {
			return err
		}
		if err := work.AddReplace(r.Old.Path, version, r.New.Path, ""); err != nil {
			return err
		}
	}
	work.Cleanup()
	return os.WriteFile(name, modfile.Format(work.Syntax), 0o644)
}
