package vet

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

const suppressor = "//macemc:ok"

// suppression is a comment with the reason why a hazard is harmless.
type suppression struct {
	pos    token.Pos
	reason string
	alone  bool // on a line of its own: it applies to the next line
}

// suppressions returns the suppressing comments of the files, by file name and line.
func (p *pass) suppressions(files []*ast.File) {
	for _, f := range files {
		code := map[int]bool{} // lines with the end of a node
		ast.Inspect(f, func(n ast.Node) bool {
			switch n.(type) {
			case nil, *ast.Comment, *ast.CommentGroup, *ast.File:
			default:
				code[p.fset.Position(n.End()).Line] = true
				code[p.fset.Position(n.Pos()).Line] = true
			}
			return true
		})
		for _, g := range f.Comments {
			for _, c := range g.List {
				rest, ok := strings.CutPrefix(c.Text, suppressor)
				if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
					continue
				}
				rest, _, _ = strings.Cut(rest, "// ")
				at := p.fset.Position(c.Pos())
				p.comments[sourceLine{at.Filename, at.Line}] = suppression{c.Pos(), strings.TrimSpace(rest), !code[at.Line]}
			}
		}
	}
}

// exempt records the comments above package clauses, which exempt one function throughout the package: "rand.Int:
// REASON".
func (p *pass) exempt(files []*ast.File) {
	for _, f := range files {
		for _, g := range f.Comments {
			if g.Pos() > f.Package {
				break
			}
			for _, c := range g.List {
				if name, reason, named := strings.Cut(p.suppressionAt(c.Pos(), 0).reason, ": "); named && strings.TrimSpace(reason) != "" {
					p.exempted = append(p.exempted, "uses "+name)
				}
			}
		}
	}
}

// isExempt reports whether a comment above a package clause exempts a hazard.
func (p *pass) isExempt(message string) bool {
	return slices.ContainsFunc(p.exempted, func(what string) bool { return strings.HasSuffix(message, what) })
}

// sourceLine is a line of a file.
type sourceLine struct {
	file string
	line int
}

// suppressed reports whether a comment suppresses the hazard at pos: one on its line, on a line of its own before that, or
// in the comment of the function.
func (p *pass) suppressed(u *unit, pos token.Pos) bool {
	if above := p.suppressionAt(pos, -1); p.suppressionAt(pos, 0).reason != "" || above.alone && above.reason != "" {
		return true
	}
	if u == nil {
		return false
	}
	d, ok := u.node.(*ast.FuncDecl)
	return ok && d.Doc != nil && slices.ContainsFunc(d.Doc.List, func(c *ast.Comment) bool { return p.suppressionAt(c.Pos(), 0).reason != "" })
}

// suppressionAt returns the comment the given number of lines below a position, or the zero value.
func (p *pass) suppressionAt(pos token.Pos, below int) suppression {
	at := p.fset.Position(pos)
	return p.comments[sourceLine{at.Filename, at.Line + below}]
}
