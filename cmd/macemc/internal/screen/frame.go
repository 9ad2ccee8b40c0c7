package screen

import (
	"fmt"
	"strings"
	"unicode"
)

// Style is the meaning of a piece of text. The terminal determines its appearance.
type Style uint8

const (
	Plain Style = iota
	Title
	Border
	Current  // the current step
	Critical // the critical step
	Changed  // changed by the last step
	Fault
	Bad // an error or a finding
	Dim
)

// Cell is one character.
type Cell struct {
	Rune  rune
	Style Style
}

// Frame is the content of a screen.
type Frame struct {
	Width, Height int
	Cells         []Cell // row by row
	CursorX       int    // -1 means no cursor
	CursorY       int
}

func newFrame(width, height int) *Frame {
	f := &Frame{Width: width, Height: height, Cells: make([]Cell, width*height), CursorX: -1}
	for i := range f.Cells {
		f.Cells[i].Rune = ' '
	}
	return f
}

// String returns the text of the frame without styles, one line per row, without trailing blanks.
func (f *Frame) String() string {
	var b strings.Builder
	for y := range f.Height {
		row := make([]rune, f.Width)
		for x := range row {
			row[x] = f.Cells[y*f.Width+x].Rune
		}
		b.WriteString(strings.TrimRight(string(row), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

// area is a part of a frame.
type area struct {
	f          *Frame
	x, y, w, h int
}

// put writes text into a row, and truncates it with a mark at the edge of the area.
func (a area) put(x, y int, text string, style Style) int {
	if y < 0 || y >= a.h {
		return x
	}
	rs := []rune(text)
	for i, r := range rs {
		if x >= a.w {
			break
		}
		if x == a.w-1 && i < len(rs)-1 {
			r = '…'
		}
		if x >= 0 {
			a.f.Cells[(a.y+y)*a.f.Width+a.x+x] = Cell{printable(r), style}
		}
		x++
	}
	return x
}

// printable replaces characters that are not one column wide, so that rows stay aligned.
func printable(r rune) rune {
	if !unicode.IsPrint(r) || unicode.Is(unicode.Mn, r) || r >= 0x1100 && r != '…' && (r < 0x2010 || r > 0x2bff) {
		return '?'
	}
	return r
}

// more shows the number of lines that do not fit.
func (a area) more(n int) {
	if n > 0 && a.h > 0 {
		a.put(a.w-10, a.h-1, fmt.Sprintf(" %4d more", n), Dim)
	}
}

// box draws a heading and returns the rest of the area.
func (a area) box(heading string, focus bool) area {
	style, bar := Border, "─"
	if focus {
		style, bar = Title, "━"
	}
	line := bar + bar + " " + heading + " "
	a.put(0, 0, line+strings.Repeat(bar, max(0, a.w-len([]rune(line)))), style)
	return area{a.f, a.x, a.y + 1, a.w, max(0, a.h-1)}
}
