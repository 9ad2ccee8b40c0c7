package lint

import (
	"fmt"
	"go/ast"
	"regexp"
	"testing"
)

// Limits of a type. The doc comment of a larger one says why, and so has the word for the exceeded limit.
const (
	mostFields  = 15
	mostMethods = 25
	mostFiles   = 2 // with methods
)

var (
	aboutFields  = regexp.MustCompile(`(?i)\bfields?\b`)
	aboutMethods = regexp.MustCompile(`(?i)\bmethods?\b`)
	aboutFiles   = regexp.MustCompile(`(?i)\bfiles?\b`)
)

// smallTypes: types are small, or their doc comment mentions the fields, methods or files of which there are many.
func smallTypes(_ *tree, p *pkg) (found []problem) {
	methods, files := map[string]int{}, map[string]int{}
	for _, f := range p.files {
		here := map[string]bool{}
		for _, d := range f.Decls {
			if name := receiverOf(d); name != "" {
				methods[name]++
				here[name] = true
			}
		}
		for name := range here {
			files[name]++
		}
	}
	for _, f := range p.files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				t, ok := s.(*ast.TypeSpec)
				if !ok {
					continue
				}
				doc := t.Doc.Text()
				if len(g.Specs) == 1 {
					doc += g.Doc.Text()
				}
				name := t.Name.Name
				for _, limit := range []struct {
					n, most int
					what    string
					about   *regexp.Regexp
				}{
					{fieldsOf(t), mostFields, "fields", aboutFields},
					{methods[name], mostMethods, "methods", aboutMethods},
					{files[name], mostFiles, "files with methods", aboutFiles},
				} {
					if limit.n > limit.most && !limit.about.MatchString(doc) {
						found = append(found, problem{t.Pos(), fmt.Sprintf("%s has %d %s, the limit is %d: divide it, or explain in its comment",
							name, limit.n, limit.what, limit.most)})
					}
				}
			}
		}
	}
	return found
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

func TestSmallTypes(t *testing.T) { enforce(t, smallTypes) }

func TestSmallTypesNotices(t *testing.T) {
	snippet{
		"a/one.go": `package a
// T is large.
type T struct { // want T has 16 fields
	a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p int
}
// U has a field for each letter.
type U struct { a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p int }
// V has fields and methods in too many places.
type V[E any] struct{} // want V has 3 files
func (V[E]) a() {}
// W has a file for each of three methods.
type W struct{}
func (W) a() {}
`,
		"a/two.go":   "package a\nfunc (*V[E]) b() {}\nfunc (W) b() {}\n",
		"a/three.go": "package a\nfunc (*V[E]) c() {}\nfunc (W) c() {}\n",
	}.test(t, smallTypes)
}
