package doccheck_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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

// "make install" puts macemc, and programs that are there, where go install does, or below PREFIX, pages below XDG_DATA_HOME, reports each
// of them, and a folder that is not in PATH.
func TestInstall(t *testing.T) {
	makefile, err := os.ReadFile("../../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	files := map[string]string{"Makefile": string(makefile), "go": "#!/bin/sh\ntest $1 = build || exec go \"$@\"\n"}
	for _, name := range []string{"macemc", "macemc-cluster", "macemc-debug", "macemc-mcp", "macemc-vet"} {
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
	data := filepath.Join(dir, "data")
	const later = "vet, mcp, cluster and worker are programs of their own, compiled on first use (now: make install-all)\n"
	for _, c := range []struct {
		target, gobin, prefix, path string
		to, home, share             string // XDG_DATA_HOME, the folder below which share is
		programs                    []string
		also                        string
	}{
		{"install", gobin, "", path, gobin, "", ".local/share", []string{"macemc"}, gobin + ` is not in PATH: export PATH="` + gobin + `:$PATH"` + "\n" + later},
		{"install-all", gobin, "", gobin + ":" + path, gobin, "", ".local/share", []string{"macemc", "macemc-cluster", "macemc-debug", "macemc-mcp", "macemc-vet"}, ""},
		{"install", gobin, "", gobin + ":" + path, gobin, "", ".local/share", []string{"macemc", "macemc-cluster", "macemc-debug", "macemc-mcp", "macemc-vet"}, ""},
		{"install", "", "", other + ":" + gobin + ":" + path, gopath + "/bin", "", ".local/share", []string{"macemc"},
			gopath + `/bin is not in PATH: export PATH="` + gopath + `/bin:$PATH"` + "\n" + later},
		{"install", "", "", other + ":" + gopath + "/bin:" + path, gopath + "/bin", "", ".local/share", []string{"macemc"},
			"PATH has another macemc before it: " + other + "/macemc\n" + later},
		{"install", gobin, prefix, prefix + "/bin:" + path, prefix + "/bin", data, "usr/share", []string{"macemc"}, later},
		{"uninstall", gobin, "", path, gobin, "", ".local/share", nil, ""},
		{"install", gobin, "", gobin + ":" + path, gobin, data, "data", []string{"macemc"}, later},
	} {
		cmd := exec.Command("make", "--no-print-directory", "GO="+filepath.Join(dir, "go"), c.target)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "GOBIN="+c.gobin, "GOPATH="+gopath+":"+dir, "PATH="+c.path, "MAKEFLAGS=", "PREFIX="+c.prefix,
			"XDG_DATA_HOME="+c.home)
		out, err := cmd.Output()
		share := filepath.Join(dir, c.share)
		want := ""
		for _, program := range c.programs {
			want += "installed " + c.to + "/" + program + "\n"
		}
		if want += "installed completions for bash, zsh and fish below " + share + "\n" + c.also; c.target == "uninstall" {
			want = "removed macemc from " + c.to + " and " + share + "; go clean -cache removes what it has compiled\n"
		}
		if err != nil || string(out) != want {
			t.Errorf("%s with GOBIN=%q PREFIX=%q: %v, got\n%s\nwant\n%s", c.target, c.gobin, c.prefix, err, out, want)
		}
		got, _ := filepath.Glob(filepath.Join(c.to, "macemc*"))
		for i := range got {
			got[i] = filepath.Base(got[i])
		}
		if !slices.Equal(got, c.programs) {
			t.Errorf("%s with GOBIN=%q PREFIX=%q: %s has %q, want %q", c.target, c.gobin, c.prefix, c.to, got, c.programs)
		}
	}
}
