package stats

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"iter"
	"math"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/textfmt"
)

// The layout of the plot, in pixels.
const (
	plotWidth, plotHeight = 760, 480
	left, right           = 80, 730 // of the axes
	top, bottom           = 60, 390
)

// curveStyles give a kind of walks its colour; those after faults are dashed.
var curveStyles = []struct{ name, color string }{{"biased", "#0b5fa5"}, {"unbiased", "#c2570c"}}

// SVG writes the distributions as a plot: how many of the walks were live after so many steps. The
// steps are on a logarithmic axis. It has no scripts and refers to nothing, and the same result gives
// the same bytes.
func (r *Result) SVG(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" font-family="sans-serif" font-size="13" fill="#222">
<rect width="100%%" height="100%%" fill="#fff"/>
<text x="%d" y="28" font-size="17">%s</text>
<text x="%[3]d" y="48" fill="#555">%[5]s</text>
`, plotWidth, plotHeight, left, html.EscapeString(r.title()), html.EscapeString(r.subtitle()))
	x := r.axis()
	for percent := 0; percent <= 100; percent += 10 {
		at := yOf(float64(percent) / 100)
		fmt.Fprintf(&b, `<path d="M%d %sH%d" stroke="%s"/>`+"\n", left, px(at), right, gridColor(percent%50 == 0))
		if percent%20 == 0 {
			fmt.Fprintf(&b, `<text x="%d" y="%s" text-anchor="end">%d %%</text>`+"\n", left-8, px(at+4), percent)
		}
	}
	for decade := 1; decade <= x.high; decade *= 10 {
		for m := 1; m <= 9; m++ {
			v := decade * m
			if v < x.low || v > x.high {
				continue
			}
			fmt.Fprintf(&b, `<path d="M%s %dV%d" stroke="%s"/>`+"\n", px(x.of(v)), top, bottom, gridColor(m == 1))
			if m == 1 || x.high/x.low <= 1000 && (m == 2 || m == 5) {
				fmt.Fprintf(&b, `<text x="%s" y="%d" text-anchor="middle">%s</text>`+"\n", px(x.of(v)), bottom+20, textfmt.Number(v))
			}
		}
	}
	fmt.Fprintf(&b, `<path d="M%d %dV%dH%d" fill="none" stroke="#222"/>
<text x="%d" y="%d" text-anchor="middle">steps of the walk (logarithmic)</text>
<text transform="translate(24 %d) rotate(-90)" text-anchor="middle">walks that are live</text>
`, left, top, bottom, right, (left+right)/2, bottom+46, (top+bottom)/2)
	for i := range r.Distributions {
		fmt.Fprintf(&b, `<path d="%s" fill="none" %s/>`+"\n", r.Distributions[i].curve(x), r.Distributions[i].stroke())
	}
	const textWidth, keyWidth = 7, 60 // about, of a letter and of the rest of an entry
	at := left
	for i := range r.Distributions {
		d := &r.Distributions[i]
		fmt.Fprintf(&b, `<path d="M%d %dh30" %s/><text x="%d" y="%d">%s</text>`+"\n",
			at, bottom+70, d.stroke(), at+36, bottom+74, d.Title())
		at += keyWidth + textWidth*len(d.Title())
	}
	b.WriteString("</svg>\n")
	_, err := w.Write(b.Bytes())
	return err
}

// Title names the distribution, as in "unbiased, after faults".
func (d *Distribution) Title() string {
	if d.Faults {
		return d.Name + ", after faults"
	}
	return d.Name
}

func (r *Result) title() string {
	s := "Steps to a live state: " + r.System
	if len(r.Bugs) > 0 {
		s += " with " + strings.Join(r.Bugs, " and ")
	}
	return s + ", " + textfmt.Plural(r.Nodes, "node")
}

func (r *Result) subtitle() string {
	walks := 0
	for i := range r.Distributions {
		walks = max(walks, r.Distributions[i].Walks)
	}
	s := fmt.Sprintf("%s of each kind, at most %s long", textfmt.Plural(walks, "walk"), textfmt.Plural(r.WalkSteps, "step"))
	if r.FaultsStruck > 0 {
		s += fmt.Sprintf("; after faults: %.1f struck on average", r.FaultsStruck)
	}
	return s
}

// axis is the logarithmic axis of steps. Its ends are 1, 2 or 5 times a power of ten.
type axis struct{ low, high int }

// axis spans all steps, of which there is at least one.
func (r *Result) axis() axis {
	least, most := math.MaxInt, 1
	for i := range r.Distributions {
		d := &r.Distributions[i]
		if len(d.Counts) > 0 {
			least, most = min(least, d.Counts[0].Steps), max(most, d.MaxSteps)
		}
	}
	least = max(1, min(least, most))
	a := axis{1, 1}
	for next := range ends() {
		if next <= least {
			a.low = next
		}
		if a.high = next; next > least && next >= most {
			break
		}
	}
	return a
}

// ends yields the numbers that an axis may end at.
func ends() iter.Seq[int] {
	return func(yield func(int) bool) {
		for decade := 1; ; decade *= 10 {
			if !yield(decade) || !yield(2*decade) || !yield(5*decade) {
				return
			}
		}
	}
}

func (a axis) of(steps int) float64 {
	low, high := math.Log10(float64(a.low)), math.Log10(float64(a.high))
	return left + (math.Log10(float64(max(1, steps)))-low)/(high-low)*(right-left)
}

func yOf(share float64) float64 { return bottom - share*(bottom-top) }

// curve is the path of the distribution function. Steps that fall on the same tenth of a pixel are drawn as one.
func (d *Distribution) curve(x axis) string {
	b := []byte("M" + strconv.Itoa(left) + " " + strconv.Itoa(bottom))
	live, drawn := 0, ""
	for i, c := range d.Counts {
		live += c.Walks
		at := px(x.of(c.Steps))
		if i+1 < len(d.Counts) && px(x.of(d.Counts[i+1].Steps)) == at {
			continue
		}
		y := px(yOf(float64(live) / float64(d.Walks)))
		if y == drawn {
			continue
		}
		b = fmt.Appendf(b, "H%sV%s", at, y)
		drawn = y
	}
	return string(fmt.Appendf(b, "H%d", right))
}

func (d *Distribution) stroke() string {
	color := "#222"
	for _, s := range curveStyles {
		if s.name == d.Name {
			color = s.color
		}
	}
	s := fmt.Sprintf(`stroke="%s" stroke-width="2"`, color)
	if d.Faults {
		s += ` stroke-dasharray="7 3"`
	}
	return s
}

func gridColor(strong bool) string {
	if strong {
		return "#bbb"
	}
	return "#eaeaea"
}

// px writes a coordinate to a tenth of a pixel.
func px(v float64) string { return strconv.FormatFloat(math.Round(v*10)/10, 'f', -1, 64) }
