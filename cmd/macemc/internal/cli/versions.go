package cli

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/macemc/macemc/internal/report"
)

// checkerModule is the checker's own module, which otherVersions omits.
const checkerModule = "github.com/macemc/macemc"

// dependency is a package that a test binary contains.
type dependency struct {
	path   string
	module module
}

// module is the description of a module by go list.
type module struct {
	Path, Version, Dir, GoMod string
	Replace                   *module
}

// used describes the version in use.
func (m *module) used() string {
	switch {
	case m.Replace != nil && m.Replace.Version != "":
		return "replaced by " + m.Replace.Path + " " + m.Replace.Version
	case m.Replace != nil:
		return "replaced by " + m.Replace.Path
	case m.Version == "":
		return "as it is in " + m.Dir
	}
	return m.Version
}

// dependencies returns the packages in the test binary of the package in dir. It returns none if that package does not build.
func (a *app) dependencies(ctx context.Context, dir string) []dependency {
	out, err := a.goTool(ctx, dir, "list", "-deps", "-test", "-json=ImportPath,Module", "--", ".")
	if err != nil {
		return nil // the build reports the error better
	}
	var all []dependency
	for d := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			ImportPath string
			Module     module
		}
		if d.Decode(&p) != nil {
			return all
		}
		all = append(all, dependency{p.ImportPath, p.Module})
	}
}

// otherVersions returns the modules among the dependencies whose version differs from the one that the module of the package requires.
// Workspaces, replacements, and flags of the go command cause such differences.
func (a *app) otherVersions(ctx context.Context, dir string, all []dependency) ([]report.OtherVersion, error) {
	out, err := a.goTool(ctx, dir, "list", "-json=Module", "--", ".")
	if err != nil {
		return nil, err
	}
	var p struct{ Module module }
	if err := json.Unmarshal(out, &p); err != nil || p.Module.GoMod == "" {
		return nil, err
	}
	if out, err = a.goCommand(ctx, dir, nil, []string{"mod", "edit", "-json", p.Module.GoMod}); err != nil {
		return nil, err
	}
	var mod struct{ Require []module }
	if err := json.Unmarshal(out, &mod); err != nil {
		return nil, err
	}
	used := map[string]*module{}
	for i := range all {
		used[all[i].module.Path] = &all[i].module
	}
	var others []report.OtherVersion
	for _, r := range mod.Require {
		m := used[r.Path]
		if m == nil || r.Path == checkerModule || strings.HasPrefix(r.Path, checkerModule+"/") || m.Replace == nil && m.Version == r.Version {
			continue
		}
		others = append(others, report.OtherVersion{Module: r.Path, Required: r.Version, Used: m.used()})
	}
	return others, nil
}
