// Package scaffold writes a sample service or storage library as a starting point.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/macemc/macemc/internal/outfile"
)

const module = "github.com/macemc/macemc"

//go:embed template
var templates embed.FS

// Written describes the result of Write.
type Written struct {
	Files  []string
	Module bool // whether a new module was made
	// Steps are commands that the user has yet to run before the test.
	Steps []string
}

// Sample is the kind of package that Write writes.
type Sample struct {
	code, test string // templates
}

// The samples.
var (
	Service = Sample{"service.go.txt", "service_test.go.txt"}
	Store   = Sample{"store.go.txt", "store_test.go.txt"} // a storage library
)

// Write writes a sample with a bug, and its test, into a new or empty folder, with a go.mod file if the folder is in
// no module. checkout is the folder of the checker's module. If it is empty, the module is the one that this program
// was built in, or the one that the folder's module already requires; in the latter case checkout must be empty. Write
// overwrites no file.
func Write(dir, checkout string, sample Sample) (*Written, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	name := packageName(filepath.Base(dir))
	switch {
	case token.IsKeyword(name):
		return nil, fmt.Errorf("%q is not a valid package name, %s is a keyword of Go; name another folder", filepath.Base(dir), name)
	case !token.IsIdentifier(name):
		return nil, fmt.Errorf("%q is not a valid package name; begin it with a letter", filepath.Base(dir))
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case len(entries) > 0:
		return nil, fmt.Errorf("the folder %s is not empty; name one that does not exist", dir)
	}
	mod, err := moduleOf(filepath.Dir(dir))
	if err != nil {
		return nil, err
	}
	w := &Written{Module: mod == ""}
	files := map[string][]byte{}
	for _, f := range []struct{ from, to string }{{sample.code, name + ".go"}, {sample.test, name + "_test.go"}} {
		text, err := templates.ReadFile("template/" + f.from)
		if err != nil {
			return nil, err
		}
		files[f.to] = bytes.ReplaceAll(text, []byte("mysvc"), []byte(name))
		w.Files = append(w.Files, f.to)
	}
	have := mod != "" && requires(mod)
	if have && checkout != "" {
		return nil, fmt.Errorf("%s already requires the checker; leave out %s", mod, checkout)
	}
	if !have {
		from, err := Origin(checkout)
		if err != nil {
			return nil, err
		}
		if w.Module {
			files["go.mod"] = from.goMod(name)
			w.Files = append(w.Files, "go.mod")
			if from.sums != nil {
				files["go.sum"] = from.sums
			}
		} else {
			w.Steps = from.commands()
		}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	for _, name := range append(w.Files, "go.sum") {
		text, ok := files[name]
		if !ok {
			continue
		}
		if err := outfile.Create(filepath.Join(dir, name), text); err != nil {
			return nil, err
		}
	}
	if w.Module {
		tidy := exec.Command("go", "mod", "tidy")
		tidy.Dir = dir
		if out, err := tidy.CombinedOutput(); err != nil {
			return w, fmt.Errorf("the files are written, but \"go mod tidy\" fails in the folder: %s", strings.TrimSpace(string(out)))
		}
	}
	return w, nil
}

// packageName derives a package name from the name of a folder, without ensuring that it is valid.
func packageName(folder string) string {
	return regexp.MustCompile(`[^a-z0-9]+`).ReplaceAllString(strings.ToLower(folder), "")
}

// moduleOf returns the go.mod file of the module that dir is in, or would be in; empty if there is none.
func moduleOf(dir string) (string, error) {
	for d := dir; ; d = filepath.Dir(d) {
		file := filepath.Join(d, "go.mod")
		if _, err := os.Stat(file); err == nil {
			return file, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		if d == filepath.Dir(d) {
			return "", nil
		}
	}
}

// requires reports whether a module requires the checker's module, or is that module.
func requires(goMod string) bool {
	text, err := os.ReadFile(goMod)
	return err == nil && regexp.MustCompile(`(?m)^(module|require)?\s*`+regexp.QuoteMeta(module)+`(\s|$)`).Match(text)
}

// Source is the location of the checker's module.
type Source struct {
	version string // v0.0.0 if not released
	dir     string // of a checkout
	goLine  string
	sums    []byte
}

// Origin returns the location of the checker's module: the folder of a checkout, or, if it is empty, the sources that this program was
// built from.
func Origin(checkout string) (*Source, error) {
	if checkout == "" {
		_, file, _, _ := runtime.Caller(0)
		if _, after, ok := strings.Cut(filepath.ToSlash(file), module+"@"); ok { // in the module cache
			version, _, _ := strings.Cut(after, "/")
			return &Source{version: version, goLine: goLine()}, nil
		}
		if !filepath.IsAbs(file) {
			return nil, errors.New("this program does not know where it was built; name the folder of a checkout of " + module +
				" with --macemc DIR")
		}
		checkout = filepath.Dir(filepath.Dir(filepath.Dir(file)))
	}
	dir, err := filepath.Abs(checkout)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !regexp.MustCompile(`(?m)^module\s+`+regexp.QuoteMeta(module)+`\s*$`).Match(text) {
		return nil, fmt.Errorf("%s is not a checkout of %s; name the folder of one with --macemc DIR", dir, module)
	}
	s := &Source{version: "v0.0.0", dir: dir, goLine: goLine()}
	if line := regexp.MustCompile(`(?m)^go .*$`).Find(text); line != nil {
		s.goLine = string(line)
	}
	s.sums, _ = os.ReadFile(filepath.Join(dir, "go.sum"))
	return s, nil
}

// goLine returns the go line of a go.mod file for the Go release that built this program.
func goLine() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "go 1.26.0"
	}
	return "go " + strings.TrimPrefix(info.GoVersion, "go")
}

func (s *Source) goMod(name string) []byte {
	text := fmt.Sprintf("module %s\n\n%s\n\nrequire %s %s\n", path.Join("example.org", name), s.goLine, module, s.version)
	if s.dir != "" {
		text += fmt.Sprintf("\nreplace %s => %s\n", module, quoted(s.dir))
	}
	return []byte(text)
}

// quoted returns a folder as a token of a go.mod file.
func quoted(dir string) string {
	if strings.ContainsAny(dir, " \t\"'`()[]{},") {
		return fmt.Sprintf("%q", dir)
	}
	return dir
}

// commands returns the commands that add the checker's module to another one.
func (s *Source) commands() []string {
	if s.dir == "" {
		return []string{"go get " + module + "@" + s.version}
	}
	return []string{
		fmt.Sprintf("go mod edit -require=%s@%s '-replace=%s=%s'", module, s.version, module, s.dir),
		"go mod tidy",
	}
}

// Install returns the command that builds one of the module's programs into a folder.
func (s *Source) Install(program, folder string) *exec.Cmd {
	if s.dir == "" {
		cmd := exec.Command("go", "install", module+"/cmd/"+program+"@"+s.version)
		cmd.Env = append(os.Environ(), "GOBIN="+folder, "GOFLAGS=", "CGO_ENABLED=0")
		return cmd
	}
	cmd := exec.Command("go", "build", "-o", folder+string(filepath.Separator), "./cmd/"+program)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "GOWORK=", "GOFLAGS=", "CGO_ENABLED=0")
	return cmd
}
