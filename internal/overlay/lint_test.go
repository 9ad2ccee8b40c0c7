package overlay

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// linkedRoot returns a distribution with the given changed and added files. All else in it, apart from the tests of these packages, is a link
// to the original. Programs that do not support overlays can read it.
func linkedRoot(t *testing.T, original string, files map[string][]byte) string {
	t.Helper()
	root := t.TempDir()
	made := map[string]bool{}
	var folder func(dir string)
	folder = func(dir string) {
		if made[dir] {
			return
		}
		made[dir] = true
		if dir != "." {
			folder(path.Dir(dir))
		}
		at := filepath.Join(root, dir)
		os.Remove(at) // a link
		if err := os.MkdirAll(at, 0o755); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(filepath.Join(original, dir))
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			name := path.Join(dir, e.Name())
			if strings.HasSuffix(name, "_test.go") || files[strings.TrimPrefix(name, "src/")] != nil {
				continue
			}
			if err := os.Symlink(filepath.Join(original, name), filepath.Join(root, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range files {
		name = path.Join("src", name)
		folder(path.Dir(name))
		if err := os.WriteFile(filepath.Join(root, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var problemLine = regexp.MustCompile(`(?m)^(?:vet: )?(?:.*/)?src/(\S*\.go):(\d+):\d+: (.*)$`)

// problems returns the lines of a linter's output about added files and about lines that differ from those of the original distribution, and
// all errors of the type checker.
func problems(t *testing.T, original string, files map[string][]byte, out string) (list []string) {
	t.Helper()
	ours, err := added()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range problemLine.FindAllStringSubmatch(out, -1) {
		name := m[1]
		if strings.HasPrefix(m[0], "vet: ") || strings.HasSuffix(m[0], "(compile)") || ours[name] != "" {
			list = append(list, name+":"+m[2]+": "+m[3])
			continue
		}
		text, err := os.ReadFile(filepath.Join(original, "src", name))
		if err != nil {
			continue // the copy of a file of the distribution
		}
		n, _ := strconv.Atoi(m[2])
		if was, is := strings.Split(string(text), "\n"), strings.Split(string(files[name]), "\n"); n <= len(is) && was[n-1] != is[n-1] {
			list = append(list, name+":"+m[2]+": "+m[3])
		}
	}
	return list
}

// go vet and staticcheck accept the changed packages. The compiler's use of package unsafe is not checked, as in the original distribution.
// Staticcheck does not see the uses of a function by its name for the linker: see TestSources_AreUsed.
func TestLint(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the standard library")
	}
	env, err := goEnv(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	files, err := Files(env.GOROOT)
	if err != nil {
		t.Fatal(err)
	}
	tool := exec.CommandContext(t.Context(), "go", "tool", "-n", "staticcheck")
	tool.Dir = filepath.Join("..", "..", "cmd", "macemc")
	staticcheck, err := tool.Output()
	if err != nil {
		t.Fatalf("go tool -n staticcheck: %v", err)
	}
	packages := map[string]bool{}
	for name := range files {
		packages[path.Dir(name)] = true
	}
	all := slices.Sorted(maps.Keys(packages))
	root := linkedRoot(t, env.GOROOT, files)
	vet := []string{filepath.Join(root, "bin", "go"), "vet", "-unsafeptr=false"}
	for _, c := range []struct {
		name, system, tags string
		args, packages     []string
	}{
		{"vet", runtime.GOOS, Tag, vet, all},
		{"vet with the race detector", runtime.GOOS, Tag + ",race", vet, []string{"runtime", "sync", "sync/atomic"}},
		{"vet for another system", "darwin", Tag, vet, []string{"net", "os", "os/signal", "runtime", "syscall", "testing", testschedPath, programPath}},
		{"staticcheck", runtime.GOOS, Tag, []string{strings.TrimSpace(string(staticcheck)), "-tests=false", "-checks=inherit,-U1000"}, all},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), c.args[0], slices.Concat(c.args[1:], []string{"-tags=" + c.tags}, c.packages)...)
			cmd.Dir = root
			cmd.Env = append(os.Environ(), "GOROOT="+root, "GOTOOLCHAIN=local", "GOWORK=off", "CGO_ENABLED=0", "GOOS="+c.system,
				"GOFLAGS=", "PATH="+filepath.Join(root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			found := problems(t, env.GOROOT, files, string(out))
			if len(found) > 0 {
				t.Errorf("%s: %d problems\n%s", runtime.Version(), len(found), strings.Join(found, "\n"))
			} else if err != nil && !problemLine.Match(out) {
				t.Errorf("%s: %v\n%s", runtime.Version(), err, out)
			}
		})
	}
}

// Problems of added files and of changed lines count, and those of the original distribution do not.
func TestLint_CountsOwnLines(t *testing.T) {
	root, _ := distribution(t)
	files, err := Files(root)
	if err != nil {
		t.Fatal(err)
	}
	was, err := os.ReadFile(filepath.Join(root, "src", "runtime", "proc.go"))
	if err != nil {
		t.Fatal(err)
	}
	is, changed := strings.Split(string(files["runtime/proc.go"]), "\n"), 0
	for i, line := range strings.Split(string(was), "\n") {
		if is[i] != line {
			changed = i + 1
			break
		}
	}
	out := fmt.Sprintf("# runtime\nsrc/runtime/proc.go:1:2: original (SA1)\n/x/src/runtime/proc.go:%d:2: changed (SA2)\n"+
		"src/runtime/zz_macemc_tests_run.go:3:1: added (SA3)\nvet: src/runtime/proc.go:1:2: undefined: x\n"+
		"src/net/zz_macemc_fake.go:9:1: copied (SA4)\n", changed)
	want := []string{fmt.Sprintf("runtime/proc.go:%d: changed (SA2)", changed), "runtime/zz_macemc_tests_run.go:3: added (SA3)",
		"runtime/proc.go:1: undefined: x"}
	if got := problems(t, root, files, out); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// identifiers are the numbers of occurrences of identifiers, by package and name, and by name alone. Those in comments do not count.
type identifiers map[[2]string]int

func (ids identifiers) add(t *testing.T, pkg, name, text string) {
	t.Helper()
	if path.Ext(name) == ".go" {
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				ids[[2]string{pkg, id.Name}]++
				ids[[2]string{"", id.Name}]++
			}
			return true
		})
		return
	}
	for _, name := range regexp.MustCompile(`[A-Za-z_]\w*`).FindAllString(text, -1) { // assembly
		ids[[2]string{pkg, name}]++
	}
}

var linkName = regexp.MustCompile(`(?m)^//go:linkname (\w+) (\S+)\.(\w+)$`)

// The functions, types, variables and constants that are added are used, possibly by their name for the linker.
func TestSources_AreUsed(t *testing.T) {
	root, _ := distribution(t)
	files, err := Files(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"bubble", "mctest"} { // packages that linker names refer to
		list, err := filepath.Glob(filepath.Join("..", "..", dir, "*.go"))
		if err != nil || len(list) == 0 {
			t.Fatal(list, err)
		}
		for _, file := range list {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			files[path.Join("github.com/macemc/macemc", dir, filepath.Base(file))] = text
		}
	}
	ids, links := identifiers{}, map[[2]string][][2]string{}
	for name, text := range files {
		pkg := path.Dir(name)
		ids.add(t, pkg, name, string(text))
		for _, m := range linkName.FindAllStringSubmatch(string(text), -1) {
			one, other := [2]string{pkg, m[1]}, [2]string{m[2], m[3]}
			links[one], links[other] = append(links[one], other), append(links[other], one)
		}
	}
	ours, err := added()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range ours {
		if !strings.HasPrefix(path.Base(name), "zz_macemc_") {
			continue
		}
		for _, declared := range declarations(t, name, text) {
			id := [2]string{path.Dir(name), declared}
			used := func(id [2]string) bool { return ids[id] > 1 }
			linked := func(id [2]string) bool { return used(id) || ids[id] == 1 && !strings.HasPrefix(id[1], "macemc") } // modules link to those
			elsewhere := ast.IsExported(declared) && ids[[2]string{"", declared}] > 1
			if !used(id) && !elsewhere && !slices.ContainsFunc(links[id], linked) {
				t.Errorf("%s: %s is not used", name, declared)
			}
		}
	}
}

// declarations returns the names that a file declares outside of functions, without those of enumerations.
func declarations(t *testing.T, name, text string) (names []string) {
	f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok {
					names = append(names, t.Name.Name)
				}
				if v, ok := s.(*ast.ValueSpec); ok && v.Values != nil && types.ExprString(v.Values[0]) != "iota" || ok && d.Tok == token.VAR {
					for _, id := range v.Names {
						names = append(names, id.Name)
					}
				}
			}
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "_" || name == "init" })
}
