package screen

import (
	"fmt"
	"strings"
	"unicode"
)

// Style is what a piece of text means; how it looks is up to the terminal.
type Style uint8

const (
	Plain Style = iota
	Title
	Border
	Current  // the step after which we stand
	Critical // the critical step
	Changed  // by the last step
	Fault
	Bad // an error, a finding
	Dim
)

// Cell is one character.
type Cell struct {
	Rune  rune
	Style Style
}

// Frame is what a screen shows.
type Frame struct {
	Width, Height int
	Cells         []Cell // rows, one after the other
	CursorX       int    // -1: no cursor
	CursorY       int
}

func newFrame(width, height int) *Frame {
	f := &Frame{Width: width, Height: height, Cells: make([]Cell, width*height), CursorX: -1}
	for i := range f.Cells {
		f.Cells[i].Rune = ' '
	}
	return f
}

// String is the text of the frame without styles, a line per row, without blanks at the ends.
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

// put writes text into a row, cut off at the area's edge; what does not fit is told by a mark.
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

// printable keeps rows aligned: what has no width of one column is replaced.
func printable(r rune) rune {
	if !unicode.IsPrint(r) || unicode.Is(unicode.Mn, r) || r >= 0x1100 && r != '…' && (r < 0x2010 || r > 0x2bff) {
		return '?'
	}
	return r
}

// more says how many lines do not fit.
func (a area) more(n int) {
	if n > 0 && a.h > 0 {
		a.put(a.w-10, a.h-1, fmt.Sprintf(" %4d more", n), Dim)
	}
}

// box draws a heading over the area and returns what is below it.
func (a area) box(heading string, focus bool) area {
	style, bar := Border, "─"
	if focus {
		style, bar = Title, "━"
	}
	line := bar + bar + " " + heading + " "
	a.put(0, 0, line+strings.Repeat(bar, max(0, a.w-len([]rune(line)))), style)
	return area{a.f, a.x, a.y + 1, a.w, max(0, a.h-1)}
}
