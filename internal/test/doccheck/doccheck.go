// Package doccheck finds the Go examples in the documentation, so that a test can compile and run them.
//
// A Go block that begins with a package clause is a complete file, a test file if it has a Test function. It must
// compile, and its tests must pass, or fail with the output TEXT if the line before the block is
//
//	<!-- go test fails: TEXT -->
//
// Any other Go block is an excerpt of a complete one on the same page, or of a file of the module.
package doccheck

import (
	"fmt"
	"regexp"
	"strings"
)

// Block is a Go block of a page.
type Block struct {
	Line  int    // of its first line in the page, from 1
	Text  string // with a trailing newline
	Fails string // expected output of failing tests; "": they pass
}

var expectation = regexp.MustCompile(`^<!-- go test fails: (.+) -->$`)

// Blocks returns the Go blocks of a Markdown page. It fails if a block is not closed.
func Blocks(markdown string) ([]Block, error) {
	var (
		list   []Block
		open   *Block
		other  int // line of the opening fence of another block; 0 outside of one
		before string
	)
	for i, line := range strings.Split(markdown, "\n") {
		fence := strings.HasPrefix(line, "```")
		end := fence && strings.Trim(line, "` ") == "" // a fence with a word opens a block, and does not close one
		switch {
		case open != nil && end:
			list, open = append(list, *open), nil
		case open != nil:
			open.Text += line + "\n"
		case other > 0:
			if end {
				other = 0
			}
		case line == "```go":
			open = &Block{Line: i + 2}
			if m := expectation.FindStringSubmatch(before); m != nil {
				open.Fails = m[1]
			}
		case fence:
			other = i + 1
		}
		before = line
	}
	if open != nil {
		other = open.Line - 1
	}
	if other > 0 {
		return nil, fmt.Errorf("line %d: the block is not closed", other)
	}
	return list, nil
}

var packageClause = regexp.MustCompile(`(?m)^package (\w+)`)

// Package returns the package of a complete file, or "" for an excerpt.
func (b *Block) Package() string {
	if m := packageClause.FindStringSubmatch(b.Text); m != nil {
		return m[1]
	}
	return ""
}

// IsTest reports whether the block is a test file.
func (b *Block) IsTest() bool { return strings.Contains(b.Text, "\nfunc Test") }

// ExcerptOf reports whether the lines of the block are consecutive lines of a text, apart from indentation. A line
// "..." matches any number of lines.
func (b *Block) ExcerptOf(text string) bool {
	lines := trimmed(text)
	from := 0
	for part := range strings.SplitSeq("\n"+b.Text, "\n...\n") {
		want := trimmed(part)
		at := find(lines[from:], want)
		if at < 0 {
			return false
		}
		from += at + len(want)
	}
	return true
}

func trimmed(text string) []string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return lines
}

// find returns the index of want in lines, or -1.
func find(lines, want []string) int {
next:
	for i := range len(lines) - len(want) + 1 {
		for j := range want {
			if lines[i+j] != want[j] {
				continue next
			}
		}
		return i
	}
	return -1
}
