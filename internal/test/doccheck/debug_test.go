package doccheck_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	breakpoint = regexp.MustCompile(`break \S+ github\.com/macemc/macemc/(\S+)\.\(\*(\w+)\)\.(\w+)`)
	condition  = regexp.MustCompile(`condition \S+ (\w+)\.(\w+) ==`)
)

// The breakpoint of the page on reports is at an existing method, and its expression is a field of the receiver.
func TestBreakpoint(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(docs, "reports.md"))
	if err != nil {
		t.Fatal(err)
	}
	at, asked := breakpoint.FindStringSubmatch(string(page)), condition.FindStringSubmatch(string(page))
	if at == nil || asked == nil {
		t.Fatal("the page sets no breakpoint with a condition")
	}
	files, err := filepath.Glob(filepath.Join("../../..", at[1], "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var method, field bool
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv != nil && n.Name.Name == at[3] && n.Recv.List[0].Names[0].Name == asked[1] {
					star, ok := n.Recv.List[0].Type.(*ast.StarExpr)
					method = method || ok && star.X.(*ast.Ident).Name == at[2]
				}
			case *ast.TypeSpec:
				s, ok := n.Type.(*ast.StructType)
				for _, f := range fieldsOf(s, ok && n.Name.Name == at[2]) {
					field = field || f == asked[2]
				}
			}
			return true
		})
	}
	if !method || !field {
		t.Errorf("method %s: %v; field %s: %v", at[0], method, asked[0], field)
	}
}

func fieldsOf(s *ast.StructType, ok bool) (names []string) {
	if !ok {
		return nil
	}
	for _, f := range s.Fields.List {
		for _, name := range f.Names {
			names = append(names, name.Name)
		}
	}
	return names
}

// A first "make demo" compiles for a while, and announces that.
func TestDemoSaysThatItCompiles(t *testing.T) {
	makefile, err := os.ReadFile("../../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	_, demo, _ := strings.Cut(string(makefile), "\ndemo:")
	demo, _, _ = strings.Cut(demo, "\n\n")
	if says, builds := strings.Index(demo, "compiling"), strings.Index(demo, " build"); says < 0 || builds < says {
		t.Errorf("it says nothing before it compiles:\n%s", demo)
	}
}

// "make install" puts the programs where go install does, or below PREFIX, and reports a folder that is not in PATH.
func TestInstall(t *testing.T) {
	makefile, err := os.ReadFile("../../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string]string{"Makefile": string(makefile), "go": "#!/bin/sh\ntest $1 = build || exec go \"$@\"\n"}
	for _, name := range []string{"macemc", "macemc-cluster", "macemc-mcp", "macemc-vet"} {
		files["bin/"+name] = "#!/bin/sh\n"
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	path := os.Getenv("PATH")
	gobin, gopath, prefix, other := filepath.Join(dir, "go bin"), filepath.Join(dir, "path"), filepath.Join(dir, "usr"), filepath.Join(dir, "bin")
	for _, c := range []struct {
		gobin, prefix, path string
		to, also            string
	}{
		{gobin, "", path, gobin, gobin + ` is not in PATH: export PATH="` + gobin + `:$PATH"` + "\n"},
		{gobin, "", gobin + ":" + path, gobin, ""},
		{gobin, "", other + ":" + gobin + ":" + path, gobin, "PATH has another macemc before it: " + other + "/macemc\n"},
		{"", "", gopath + "/bin:" + path, gopath + "/bin", ""},
		{gobin, prefix, prefix + "/bin:" + path, prefix + "/bin", ""},
	} {
		cmd := exec.Command("make", "--no-print-directory", "GO="+filepath.Join(dir, "go"), "install")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "GOBIN="+c.gobin, "GOPATH="+gopath+":"+dir, "PATH="+c.path, "MAKEFLAGS=", "PREFIX="+c.prefix)
		out, err := cmd.Output()
		if want := "installed " + c.to + "/macemc\n" + c.also; err != nil || string(out) != want {
			t.Errorf("GOBIN=%q PREFIX=%q: %v, got\n%s\nwant\n%s", c.gobin, c.prefix, err, out, want)
		}
		if _, err := os.Stat(filepath.Join(c.to, "macemc-vet")); err != nil {
			t.Error(err)
		}
	}
}
