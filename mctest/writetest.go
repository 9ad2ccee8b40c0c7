package mctest

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/infile"
	"github.com/macemc/macemc/internal/outfile"
)

// source is the location of a call.
type source struct {
	file string
	line int
}

// caller returns the location from which this package was called.
func caller() source {
	pcs := make([]uintptr, 16)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if !strings.HasPrefix(f.Function, ownPath+".") {
			return source{f.File, f.Line}
		}
		if !more {
			return source{}
		}
	}
}

// ownPath is the import path of this package.
const ownPath = "github.com/macemc/macemc/mctest"

// writeTestFor writes a regression test for the path in a file, which it copies to that of regression tests. The test is
// a copy of the test that makes this check, under another name, with Replay in place of Check. It returns the new
// test's file, beside that of the check. It overwrites no file.
func (c *checking) writeTestFor(pathFile string) (string, error) {
	path, err := infile.Read(pathFile)
	if err != nil {
		return "", err
	}
	dir := filepath.Dir(c.source.file)
	if !filepath.IsAbs(c.source.file) {
		return "", fmt.Errorf("the source of the test is unknown (was it built with -trimpath?); %s", c.byHand(pathFile))
	}
	base := strings.Trim(regexp.MustCompile(`[^A-Za-z0-9]+`).ReplaceAllString(strings.TrimPrefix(c.Name(), "Test"), "_"), "_")
	kept := filepath.Join(dir, filepath.FromSlash(check.Regressions))
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s_%d", base, n)
		to := filepath.Join(kept, name+".path")
		if same, err := infile.Read(to); err == nil && bytes.Equal(same, path) {
			return "", fmt.Errorf("%s already holds this run", to)
		}
		test := filepath.Join(dir, strings.ToLower("regress_"+name)+"_test.go")
		if exists(to) || exists(test) {
			continue
		}
		text, err := c.regression("Test"+base+"_Regress"+strconv.Itoa(n), check.Regressions+"/"+name+".path")
		if err != nil {
			return "", fmt.Errorf("%w; %s", err, c.byHand(pathFile))
		}
		if err := os.MkdirAll(kept, 0o755); err != nil {
			return "", err
		}
		if err := errors.Join(outfile.Create(to, path), outfile.Create(test, text)); err != nil {
			return "", err
		}
		return test, nil
	}
}

// byHand describes the manual alternative.
func (c *checking) byHand(pathFile string) string {
	return fmt.Sprintf("write a test with mctest.Replay(t, system, %q) by hand", pathFile)
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return !errors.Is(err, fs.ErrNotExist)
}

// regression returns the source of a test with the given name that replays path.
func (c *checking) regression(name, path string) ([]byte, error) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, c.source.file, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	fn, call := c.callIn(fset, f)
	if call == nil {
		return nil, fmt.Errorf("%s:%d: the check is not a call of mctest.Check in the function %s", filepath.Base(c.source.file),
			c.source.line, c.Name())
	}
	text, err := infile.Read(c.source.file)
	if err != nil {
		return nil, err
	}
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	part := func(n ast.Node) string { return string(text[at(n.Pos()):at(n.End())]) }

	var b bytes.Buffer
	for _, group := range f.Comments { // build constraints
		for _, comment := range group.List {
			if group.Pos() < f.Package && strings.HasPrefix(comment.Text, "//go:build ") {
				fmt.Fprintf(&b, "%s\n\n", comment.Text)
			}
		}
	}
	fmt.Fprintf(&b, "package %s\n\nimport (\n", f.Name.Name)
	for _, standard := range []bool{true, false} {
		for _, spec := range f.Imports {
			first, _, _ := strings.Cut(spec.Path.Value, "/")
			if used(fn, spec) && standard == !strings.Contains(first, ".") {
				fmt.Fprintf(&b, "\t%s\n", part(spec))
			}
		}
		b.WriteByte('\n')
	}
	// The selector of the call has the file's name for mctest.
	replay := strings.TrimSuffix(part(call.Fun), "CheckWith")
	replay = strings.TrimSuffix(replay, "Check") + "Replay"
	fmt.Fprintf(&b, ")\n\n// %s fails while the recorded run, or what is left of it, violates any property.\nfunc %s%s %s%s(%s, %s, %q)%s\n",
		name, name, part(fn.Type)[len("func ")+len(fn.Name.Name):], text[at(fn.Body.Pos()):at(call.Pos())], replay,
		part(call.Args[0]), part(call.Args[1]), path, text[at(call.End()):at(fn.Body.End())])
	return format.Source(b.Bytes())
}

// callIn finds the check and the test around it.
func (c *checking) callIn(fset *token.FileSet, f *ast.File) (fn *ast.FuncDecl, call *ast.CallExpr) {
	for _, decl := range f.Decls {
		d, ok := decl.(*ast.FuncDecl)
		if !ok || d.Name.Name != c.Name() || d.Body == nil {
			continue
		}
		ast.Inspect(d.Body, func(n ast.Node) bool {
			e, ok := n.(*ast.CallExpr)
			if !ok || len(e.Args) < 2 {
				return true
			}
			name := ""
			switch fun := e.Fun.(type) {
			case *ast.SelectorExpr:
				name = fun.Sel.Name
			case *ast.Ident:
				name = fun.Name
			}
			first, last := fset.Position(e.Pos()).Line, fset.Position(e.End()).Line
			if (name == "Check" || name == "CheckWith") && first <= c.source.line && c.source.line <= last {
				fn, call = d, e
			}
			return true
		})
	}
	return fn, call
}

// used reports whether the text of the function mentions an import.
func used(fn *ast.FuncDecl, spec *ast.ImportSpec) bool {
	path, _ := strconv.Unquote(spec.Path.Value)
	parts := strings.Split(path, "/")
	name := parts[len(parts)-1]
	if regexp.MustCompile(`^v\d+$`).MatchString(name) && len(parts) > 1 {
		name = parts[len(parts)-2]
	}
	if spec.Name != nil {
		name = spec.Name.Name
	}
	if name == "." || path == "testing" {
		return true
	}
	names := map[string]bool{}
	ast.Inspect(fn, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			if id, ok := sel.X.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
		return true
	})
	return names[name]
}
