package overlay

import (
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// intrinsicOnly lists the functions of the distribution that only the compiler's intrinsics implement. Code of modules, which is compiled
// without intrinsics, cannot contain a call of any of them: the compiler does not inline their callers, or they exist only in packages that
// modules cannot import and whose callers are not inlined.
var intrinsicOnly = []string{
	"internal/runtime/sys.GetCallerPC",
	"internal/runtime/sys.GetCallerSP",
	"internal/runtime/sys.GetClosurePtr",
}

var intrinsicEntry = regexp.MustCompile(`\b(?:add|addF|alias)\("([^"]+)",\s*"(\w+)"`)

// No function that modules can call relies on the compiler's intrinsics.
func TestIntrinsics(t *testing.T) {
	env, err := goEnv(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(env.GOROOT, "src")
	table, err := os.ReadFile(filepath.Join(src, "cmd/compile/internal/ssagen/intrinsics.go"))
	if err != nil {
		t.Skip(err)
	}
	root, _ := distribution(t)
	changed, err := Files(root)
	if err != nil {
		t.Fatal(err)
	}
	byPackage := map[string][]string{}
	for _, m := range intrinsicEntry.FindAllStringSubmatch(string(table), -1) {
		byPackage[m[1]] = append(byPackage[m[1]], m[2])
	}
	if len(byPackage["math/bits"]) == 0 || len(byPackage["sync/atomic"]) == 0 {
		t.Fatalf("%s: the table of intrinsics has another form: %v", runtime.Version(), byPackage)
	}
	elsewhere := textOf(t, src, "runtime") + textOf(t, src, "internal/bytealg")
	var got []string
	for path, names := range byPackage {
		for _, name := range onlyIntrinsic(t, src, path, names, changed) {
			if symbol := path + "." + name; strings.Contains(elsewhere, " "+symbol+"\n") ||
				strings.Contains(elsewhere, "TEXT "+strings.Replace(symbol, ".", "·", 1)) {
				continue // another package implements it
			}
			got = append(got, path+"."+name)
		}
	}
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Equal(got, intrinsicOnly) {
		t.Errorf("%s: only intrinsics implement %q, want %q", runtime.Version(), got, intrinsicOnly)
	}
}

// onlyIntrinsic returns those of a package's functions that have no body, neither in Go nor in assembly, or one that only panics.
func onlyIntrinsic(t *testing.T, src, path string, names []string, changed map[string][]byte) (found []string) {
	assembly := ""
	var funcs []*ast.FuncDecl
	for _, name := range filesOf(t, src, path) {
		text, ok := changed[path+"/"+name]
		if !ok {
			var err error
			if text, err = os.ReadFile(filepath.Join(src, path, name)); err != nil {
				t.Fatal(err)
			}
		}
		if filepath.Ext(name) == ".s" {
			assembly += string(text)
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && slices.Contains(names, fn.Name.Name) {
				funcs = append(funcs, fn)
			}
		}
	}
	for _, fn := range funcs {
		inAssembly := regexp.MustCompile(`TEXT\s+·` + fn.Name.Name + `(<ABIInternal>)?\(SB\)`).MatchString(assembly)
		linked := regexp.MustCompile(`(?m)^//go:linkname ` + fn.Name.Name + ` \S`).MatchString(comments(fn.Doc))
		if fn.Body == nil && !inAssembly && !linked || fn.Body != nil && onlyPanics(fn.Body) {
			found = append(found, fn.Name.Name)
		}
	}
	return found
}

// filesOf returns the names of those source files of a package that a build for this machine contains.
func filesOf(t *testing.T, src, path string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(src, path))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range list {
		if strings.HasSuffix(f.Name(), "_test.go") || filepath.Ext(f.Name()) != ".go" && filepath.Ext(f.Name()) != ".s" {
			continue
		}
		if ok, err := build.Default.MatchFile(filepath.Join(src, path), f.Name()); err != nil {
			t.Fatal(err)
		} else if ok {
			names = append(names, f.Name())
		}
	}
	return names
}

// textOf returns the text of a package.
func textOf(t *testing.T, src, path string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range filesOf(t, src, path) {
		text, err := os.ReadFile(filepath.Join(src, path, name))
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// comments returns the text of comments with their directives.
func comments(group *ast.CommentGroup) (text string) {
	if group == nil {
		return ""
	}
	for _, c := range group.List {
		text += c.Text + "\n"
	}
	return text
}

func onlyPanics(body *ast.BlockStmt) bool {
	if len(body.List) != 1 {
		return false
	}
	s, ok := body.List[0].(*ast.ExprStmt)
	if !ok {
		return false
	}
	c, ok := s.X.(*ast.CallExpr)
	return ok && (selector(c.Fun) == "panic" || selector(c.Fun) == "throw")
}
