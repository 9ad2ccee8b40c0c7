package sim_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/test/golden"
)

// The exported API equals the reviewed list in testdata/api.txt.
func TestExportedNames(t *testing.T) {
	out, err := exec.Command("go", "doc", "-short", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, "api.txt", out)
}

// The package page lists each exported name exactly once, by audience.
func TestFirstPageSortsTheNames(t *testing.T) {
	api, err := os.ReadFile("testdata/api.txt")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, lists, _ := strings.Cut(string(page), "# For authors of services")
	for _, m := range regexp.MustCompile(`(?m)^(?:(?:    )?(?:func|type)|const|var) (\w+)`).FindAllStringSubmatch(string(api), -1) {
		if n := strings.Count(lists, "["+m[1]+"]"); n != 1 {
			t.Errorf("doc.go lists %s %d times, want once", m[1], n)
		}
	}
}

// Every field of System has a comment.
func TestFieldsOfSystemHaveComments(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "system.go", nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	fields := 0
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != "System" {
			return true
		}
		for _, field := range spec.Type.(*ast.StructType).Fields.List {
			for _, name := range field.Names {
				if fields++; name.IsExported() && field.Doc == nil {
					t.Errorf("%s has no comment", name.Name)
				}
			}
		}
		return false
	})
	if fields == 0 {
		t.Error("there is no System")
	}
}
