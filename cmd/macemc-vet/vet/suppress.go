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
	*source
	comments map[Place]suppression // by file and line
	exempted []string              // suffixes of exempted messages
}

// read adds the comments of the files. Those above package clauses exempt one function throughout the package:
// "rand.Int: REASON".
func (s *suppressions) read() {
	for _, f := range s.Files {
		code := map[int]bool{} // lines with the end of a node
		for n := range ast.Preorder(f) {
			switch n.(type) {
			case *ast.Comment, *ast.CommentGroup, *ast.File:
			default:
				code[s.place(n.End()).Line] = true
				code[s.place(n.Pos()).Line] = true
			}
		}
		for _, g := range f.Comments {
			for _, c := range g.List {
				rest, ok := strings.CutPrefix(c.Text, suppressor)
				if !ok || rest != "" && rest[0] != ' ' && rest[0] != '\t' {
					continue
				}
				rest, _, _ = strings.Cut(rest, "// ")
				rest = strings.TrimSpace(rest)
				line := s.line(c.Pos(), 0)
				s.comments[line] = suppression{c.Pos(), rest, !code[line.Line]}
				if name, reason, named := strings.Cut(rest, ": "); named && strings.TrimSpace(reason) != "" && c.Pos() < f.Package {
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

// cover reports whether a comment suppresses the hazard at pos: one on its line, on a line of its own before that, or
// in the comment of the function.
func (s *suppressions) cover(u *unit, pos token.Pos) bool {
	above := s.comments[s.line(pos, -1)]
	if above.alone && above.reason != "" || s.comments[s.line(pos, 0)].reason != "" {
		return true
	}
	if u == nil {
		return false
	}
	d, ok := u.syntax.(*ast.FuncDecl)
	return ok && d.Doc != nil && slices.ContainsFunc(d.Doc.List, func(c *ast.Comment) bool {
		return s.comments[s.line(c.Pos(), 0)].reason != ""
	})
}

// line returns the line that is the given number of lines below a position.
func (s *suppressions) line(pos token.Pos, below int) Place {
	at := s.place(pos)
	return Place{File: at.File, Line: at.Line + below}
}
