package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/macemc/macemc/internal/explorer/schedulefile"
	"github.com/macemc/macemc/internal/infile"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/systems/spec"
)

// module is the Go module that the tools may access.
type module struct {
	dir     string // absolute, without symbolic links
	path    string // import path
	systems []spec.Entry
}

// openModule returns the module that contains a folder.
func openModule(dir string, systems []spec.Entry) (*module, error) {
	dir = replay.Module(dir)
	if dir == "" {
		return nil, errors.New("this folder is not in a module; start macemc mcp in one")
	}
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, err
	}
	m := &module{path: modfile.ModulePath(text), systems: systems}
	if m.path == "" {
		return nil, fmt.Errorf("%s does not name a module", filepath.Join(dir, "go.mod"))
	}
	m.dir, err = filepath.EvalSymlinks(dir)
	return m, err
}

// within returns an error unless a file or folder, relative to the module, is in it and in no nested module.
func (m *module) within(name string) error {
	if !filepath.IsLocal(name) || strings.HasPrefix(name, "-") { // a command would take the latter for a flag
		return fmt.Errorf("%s is not a path in the module", name)
	}
	real, err := filepath.EvalSymlinks(filepath.Join(m.dir, name))
	if err != nil {
		return fmt.Errorf("%s does not exist in the module", name)
	}
	if replay.Module(real) != m.dir {
		return fmt.Errorf("%s is outside the module", name)
	}
	return nil
}

// packages returns an error unless pattern selects packages of the module, such as ./lease or ./...
func (m *module) packages(pattern string) error {
	if pattern != "." && !strings.HasPrefix(pattern, "./") {
		return fmt.Errorf("package %q: name a folder or pattern of the module, such as ./... or ./lease", pattern)
	}
	folder, _, _ := strings.Cut(pattern, "...")
	return m.within(filepath.FromSlash(strings.TrimSuffix("./"+folder, "/")))
}

// system returns an error unless name is a bundled system, or a package with a test such as ./lease:TestLease.
func (m *module) system(name string) error {
	if slices.ContainsFunc(m.systems, func(e spec.Entry) bool { return e.Name == name }) {
		return nil
	}
	pkg, test, named := strings.Cut(name, ":")
	if named {
		if err := checkTest(test); err != nil {
			return err
		}
	}
	return m.packages(pkg)
}

// checkTest returns an error unless the argument is the name of a test.
func checkTest(name string) error {
	if !regexp.MustCompile(`^(Test|Fuzz|Example)[\w/#.-]*$`).MatchString(name) {
		return fmt.Errorf("%q is not the name of a test", name)
	}
	return nil
}

// run returns an error unless id is a run of a bundled system, or of a package of the module.
func (m *module) run(id string) error {
	if err := m.within(filepath.FromSlash(id)); err != nil {
		return err
	}
	f, err := infile.Open(filepath.Join(m.dir, id))
	if err != nil {
		return err
	}
	defer f.Close()
	pkg := ""
	if parsed, err := pathfile.Parse(f); err == nil {
		pkg = parsed.Header.Package
	} else if s, e := schedulefile.ReadFile(filepath.Join(m.dir, id)); e != nil {
		return e
	} else if s != nil {
		pkg = s.Package
	} else {
		return fmt.Errorf("%s is not a run: %w", id, err)
	}
	if pkg != "" && pkg != m.path && !strings.HasPrefix(pkg, m.path+"/") {
		return fmt.Errorf("%s is a run of package %s, which is not in module %s", id, pkg, m.path)
	}
	return nil
}

// schedule returns the schedule of a test in a file of the module; nil means that the file is another one.
func (m *module) schedule(id string) *schedulefile.Stored {
	s, err := schedulefile.ReadFile(filepath.Join(m.dir, id))
	if err != nil {
		return nil // run, or the command, reports it
	}
	return s
}
