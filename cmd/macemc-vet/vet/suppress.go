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

// suppressions holds the suppressing comments of a package.
type suppressions struct {
	fset     *token.FileSet
	comments map[sourceLine]suppression
	exempted []string // suffixes of exempted messages
}

// read adds the comments of the files. Those above package clauses exempt one function throughout the package:
// "rand.Int: REASON".
func (s *suppressions) read(files []*ast.File) {
	for _, f := range files {
		code := map[int]bool{} // lines with the end of a node
		ast.Inspect(f, func(n ast.Node) bool {
			switch n.(type) {
			case nil, *ast.Comment, *ast.CommentGroup, *ast.File:
			default:
				code[s.fset.Position(n.End()).Line] = true
				code[s.fset.Position(n.Pos()).Line] = true
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
				at := s.fset.Position(c.Pos())
				reason := strings.TrimSpace(rest)
				s.comments[sourceLine{at.Filename, at.Line}] = suppression{c.Pos(), reason, !code[at.Line]}
				if name, why, named := strings.Cut(reason, ": "); named && strings.TrimSpace(why) != "" && c.Pos() < f.Package {
					s.exempted = append(s.exempted, "uses "+name)
				}
			}
		}
	}
}

// exempts reports whether a comment above a package clause exempts a hazard.
func (s *suppressions) exempts(message string) bool {
	return slices.ContainsFunc(s.exempted, func(what string) bool { return strings.HasSuffix(message, what) })
}

// sourceLine is a line of a file.
type sourceLine struct {
	file string
	line int
}

// cover reports whether a comment suppresses the hazard at pos: one on its line, on a line of its own before that, or
// in the comment of the function.
func (s *suppressions) cover(u *unit, pos token.Pos) bool {
	if above := s.at(pos, -1); s.at(pos, 0).reason != "" || above.alone && above.reason != "" {
		return true
	}
	if u == nil {
		return false
	}
	d, ok := u.syntax.(*ast.FuncDecl)
	return ok && d.Doc != nil && slices.ContainsFunc(d.Doc.List, func(c *ast.Comment) bool { return s.at(c.Pos(), 0).reason != "" })
}

// at returns the comment the given number of lines below a position, or the zero value.
func (s *suppressions) at(pos token.Pos, below int) suppression {
	line := s.fset.Position(pos)
	return s.comments[sourceLine{line.Filename, line.Line + below}]
}
