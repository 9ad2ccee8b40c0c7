package lint

import (
	"fmt"
	"go/parser"
	"path"
	"slices"
	"strings"
	"testing"
)

// A snippet is a module of small packages, path -> source text, to test a rule on: a line that ends
// in "// want TEXT" must break the rule with a message that contains TEXT, and no other line may.
type snippet map[string]string

func (s snippet) test(t *testing.T, r rule) {
	t.Helper()
	whole, err := loadModule()
	if err != nil {
		t.Fatal(err)
	}
	tree := &tree{fset: whole.fset, std: whole.std, pkgs: map[string]*pkg{}}
	want := map[string]string{} // file:line -> text
	for dir, text := range s {
		file, text := snippetFile(dir, text)
		f, err := parser.ParseFile(tree.fset, file, text, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		dir = path.Dir(file)
		if tree.pkgs[dir] == nil {
			tree.pkgs[dir] = &pkg{path: dir}
		}
		tree.pkgs[dir].files = append(tree.pkgs[dir].files, f)
		for i, line := range strings.Split(text, "\n") {
			if _, text, ok := strings.Cut(line, "// want "); ok {
				want[fmt.Sprintf("%s:%d", file, i+1)] = text
			}
		}
	}
	var got []string
	for _, p := range tree.pkgs {
		if tree.check(p); p.err != nil {
			t.Fatal(p.err)
		}
	}
	for _, p := range tree.pkgs {
		for _, q := range r(tree, p) {
			pos := tree.fset.Position(q.pos)
			at := fmt.Sprintf("%s:%d", pos.Filename, pos.Line)
			if text, ok := want[at]; !ok || !strings.Contains(q.text, text) {
				t.Errorf("%s: %s", at, q.text)
			}
			got = append(got, at)
		}
	}
	for at, text := range want {
		if !slices.Contains(got, at) {
			t.Errorf("%s: the rule did not notice: %s", at, text)
		}
	}
}

// snippetFile returns name and content of a file. A key of a snippet that is not a file name stands for a package
// of one file.
func snippetFile(key, text string) (file, content string) {
	if strings.HasSuffix(key, ".go") {
		return key, text
	}
	return path.Join(key, "x.go"), text
}
