package doccheck_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
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
