package lint

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/test/golden"
)

// Limits of new types and functions. Larger ones are listed in sizeFile with numbers that may only fall.
var sizeLimits = map[string]int{"fields": 15, "methods": 25, "files": 2, "lines": 60, "branches": 25}

const sizeFile = "testdata/sizes.txt"

// sizes are the numbers above the limits, by type or function and what is counted: "internal/kernel.Machine fields" -> 53.
type sizes map[string]int

// size is a number of a type or function, and its place.
type size struct {
	name string // as a key of sizes
	n    int
	pos  token.Pos
}

// measure returns the sizes of the types and functions of a package.
func measure(fset *token.FileSet, path string, files []*ast.File) (list []size) {
	methods, in := map[string]int{}, map[string]int{}
	for _, f := range files {
		here := map[string]bool{}
		for _, d := range f.Decls {
			if name := receiverOf(d); name != "" {
				methods[name]++
				here[name] = true
			}
		}
		for name := range here {
			in[name]++
		}
	}
	add := func(name, what string, n int, pos token.Pos) {
		list = append(list, size{path + "." + name + " " + what, n, pos})
	}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				for _, s := range d.Specs {
					if t, ok := s.(*ast.TypeSpec); ok {
						add(t.Name.Name, "fields", fieldsOf(t), t.Pos())
						add(t.Name.Name, "methods", methods[t.Name.Name], t.Pos())
						add(t.Name.Name, "files", in[t.Name.Name], t.Pos())
					}
				}
			case *ast.FuncDecl:
				name := strings.TrimPrefix(receiverOf(d)+"."+d.Name.Name, ".")
				add(name, "lines", fset.Position(d.End()).Line-fset.Position(d.Pos()).Line+1, d.Pos())
				add(name, "branches", branchesOf(d), d.Pos())
			}
		}
	}
	return list
}

// above returns a problem for each size that exceeds its limit, or its number in the table if it has one. It adds the sizes that
// exceed the limits to found.
func (table sizes) above(list []size, found sizes) (problems []problem) {
	for _, s := range list {
		most := sizeLimits[s.name[strings.LastIndexByte(s.name, ' ')+1:]]
		if s.n <= most {
			continue
		}
		found[s.name] = max(found[s.name], s.n) // functions of different systems have one name
		if most = max(most, table[s.name]); s.n > most {
			problems = append(problems, problem{s.pos, fmt.Sprintf("%s: %d, the limit is %d: divide it", s.name, s.n, most)})
		}
	}
	return problems
}

// lower returns the numbers of the table that may fall, or are no longer needed, given the sizes that were found.
func (table sizes) lower(found sizes) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if found[name] < table[name] {
			names = append(names, name)
		}
	}
	return names
}

func (table sizes) String() string {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(table)) {
		fmt.Fprintf(&b, "%s %d\n", name, table[name])
	}
	return b.String()
}

func parseSizes(text string) (sizes, error) {
	table := sizes{}
	for line := range strings.Lines(text) {
		var name, what string
		var n int
		if _, err := fmt.Sscanf(line, "%s %s %d\n", &name, &what, &n); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		table[name+" "+what] = n
	}
	return table, nil
}

// receiverOf returns the name of the type that a declaration adds a method to, or "".
func receiverOf(d ast.Decl) string {
	f, ok := d.(*ast.FuncDecl)
	if !ok || f.Recv == nil {
		return ""
	}
	t := f.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// fieldsOf returns the number of fields of a struct type, in which an embedded one counts once.
func fieldsOf(t *ast.TypeSpec) (n int) {
	if s, ok := t.Type.(*ast.StructType); ok {
		for _, f := range s.Fields.List {
			n += max(1, len(f.Names))
		}
	}
	return n
}

// branchesOf returns the cyclomatic complexity of a function, with those that it contains.
func branchesOf(f *ast.FuncDecl) int {
	n := 1
	ast.Inspect(f, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if node.List != nil {
				n++
			}
		case *ast.CommClause:
			if node.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if node.Op == token.LAND || node.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

// overlaySources returns the files that the changed distribution gets, by package.
func overlaySources(fset *token.FileSet) (map[string][]*ast.File, error) {
	files := map[string][]*ast.File{}
	const root = "../../.."
	err := filepath.WalkDir(root+"/internal/overlay/_source", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		dir := path.Dir(relative(root, name))
		files[dir] = append(files[dir], f)
		return err
	})
	return files, err
}

// TestSizes compares the sizes of all types and functions with the table, whose numbers may only fall. With -update it lowers them.
func TestSizes(t *testing.T) {
	tree, err := loadModule()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(sizeFile)
	if err != nil {
		t.Fatal(err)
	}
	table, err := parseSizes(string(text))
	if err != nil {
		t.Fatal(err)
	}
	sources, err := overlaySources(tree.fset)
	if err != nil {
		t.Fatal(err)
	}
	for dir, p := range tree.pkgs {
		sources[dir] = p.files
	}
	found := sizes{}
	for _, dir := range slices.Sorted(maps.Keys(sources)) {
		for _, q := range table.above(measure(tree.fset, dir, sources[dir]), found) {
			t.Errorf("%s: %s", tree.fset.Position(q.pos), q.text)
		}
	}
	if testing.Short() { // some modules are not loaded
		for name := range table {
			if slices.ContainsFunc(heavy, func(dir string) bool { return strings.HasPrefix(name, dir) }) {
				found[name] = table[name]
			}
		}
	}
	for _, name := range table.lower(found) {
		switch {
		case !*golden.Update:
			t.Errorf("%s: %d, but the table allows %d: lower it with -update", name, found[name], table[name])
		case found[name] == 0:
			delete(table, name)
		default:
			table[name] = found[name]
		}
	}
	if *golden.Update {
		if err := os.WriteFile(sizeFile, []byte(table.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSizes_NoticeGrowth(t *testing.T) {
	fset := token.NewFileSet()
	var files []*ast.File
	for name, text := range map[string]string{
		"one.go": "package a\ntype T struct { a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p int }\ntype V[E any] struct{}\nfunc (V[E]) a() {}\n" +
			"func long() {" + strings.Repeat("\n", 60) + "}\nfunc branched(x int) { " + strings.Repeat("if x > 0 && x < 9 {}; ", 13) + "}\n",
		"two.go":   "package a\nfunc (*V[E]) b() {}\n",
		"three.go": "package a\nfunc (*V[E]) c() {}\n",
	} {
		f, err := parser.ParseFile(fset, name, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	want := sizes{"a.T fields": 16, "a.V files": 3, "a.long lines": 61, "a.branched branches": 27}
	found := sizes{}
	if got := len(sizes{}.above(measure(fset, "a", files), found)); got != len(want) || !maps.Equal(found, want) {
		t.Errorf("got %d problems and the sizes\n%vwant %d and\n%v", got, found, len(want), want)
	}
	if got := want.above(measure(fset, "a", files), sizes{}); len(got) != 0 {
		t.Errorf("got %v with sizes that the table allows, want none", got)
	}
	want["a.T fields"], want["a.gone lines"] = 17, 99
	if got, want := want.lower(found), []string{"a.T fields", "a.gone lines"}; !slices.Equal(got, want) {
		t.Errorf("got numbers that may fall %q, want %q", got, want)
	}
	text := want.String()
	if again, err := parseSizes(text); err != nil || !maps.Equal(again, want) {
		t.Errorf("got %v, %v from %q, want %v", again, err, text, want)
	}
}
