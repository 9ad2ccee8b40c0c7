package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/sim"
)

func (e *evaluator) crashCommand() *cobra.Command {
	return e.tableCommand(crashTable(crashSettings), &cobra.Command{
		Use:   "crash",
		Short: "Paxos and regular storage with explicit and implicit crashes",
		Long: `Visits all states of the protocols in the settings of Saissi, Bokor, Serafini and Suri,
"To Crash or Not To Crash" (2013): with implicit crashes (--crash-model implicit), and with
up to 1, 2 and 3 nodes that crash and stay down (--halts), at any time. A crash during a
step may lose any of its messages, as in the paper (--crash-cut subset). All settings take
quorums; each is searched without reduction, and with --reduce full. Each search has one
worker and a separate process. All of it takes some seconds.

It prints a table in Markdown, with states, seconds, and the known figures of the paper.
--markdown replaces the part of a page between the lines <!-- crash --> and
<!-- end of crash -->, and draws the numbers of states in pictures/crash.svg beside it.

Faulty variants and wrong specifications must be violated, all others hold. Other verdicts
are marked, and the exit status is 1. It is 3 if a search did not complete in its time.
When interrupted, it prints the results so far.`,
		Example: `  go run ./evaluation tables crash
  go run ./evaluation tables crash --time 10s --json
  go run ./evaluation tables crash --markdown`,
	})
}

// crashSettings are the settings of table 1 of Saissi, Bokor, Serafini, Suri, "To Crash or Not To Crash" (2013).
var crashSettings = []paperSetting{
	{name: "Paxos (6)", system: "synod", expected: holds, quorums: "implicit 548,961; explicit 1,541,622, 4,216,431, 11,843,034"},
	{name: "Faulty Paxos (6)", system: "synod", flags: []string{"--bug", "SY1"}, expected: violated},
	{name: "Faulty Paxos 2 (7)", system: "synod", flags: []string{"--bug", "SY2"}, expected: violated},
	{name: "Register (5)", system: "register", expected: holds},
	{name: "Register (5), wrong regularity", system: "register", flags: []string{"--set", "spec=wrong"}, expected: violated},
	{
		name: "Register (6), wrong regularity", system: "register", expected: violated,
		flags: []string{"--set", "readers=2", "--set", "writes=1", "--set", "reads=1", "--set", "spec=wrong"},
	},
}

// mostCrashed is the maximum number of nodes that crash.
const mostCrashed = 3

// crashes returns the name of the column with n crashes.
func crashes(n int) string {
	if n == 1 {
		return "1 crash"
	}
	return fmt.Sprintf("%d crashes", n)
}

// leftOut is the name of the column with implicit crashes.
const leftOut = "implicit"

// crashTable returns the table for some settings.
func crashTable(settings []paperSetting) *paperTable {
	t := &paperTable{name: "crash", markdown: crashMarkdown, picture: crashPicture}
	failing := func(n int, more ...string) []string {
		return append([]string{"--halts", fmt.Sprint(n), "--crash-cut", sim.CutSubset.String()}, more...)
	}
	t.columns = []tableColumn{{leftOut, failing(mostCrashed, "--crash-model", options.CrashImplicit)}}
	for n := 1; n <= mostCrashed; n++ {
		t.columns = append(t.columns, tableColumn{crashes(n), failing(n)})
	}
	for _, s := range settings {
		for _, reduce := range []string{options.ReduceNone, options.ReduceFull} {
			t.rows = append(t.rows, &tableRow{
				Setting: s.name, System: s.system, Variant: string(reduce), Quorums: true, Expected: s.expected, Published: s.quorums,
				Flags: slices.Concat(s.flags, []string{"--set", "quorum=true", "--reduce", string(reduce)}),
			})
		}
	}
	return t
}

// times returns the number of states of a column relative to the first one; 0 if one of the two searches did not visit
// all states.
func (r *tableRow) times(column int) float64 {
	if column >= len(r.Cells) || !r.Cells[0].Complete || !r.Cells[column].Complete {
		return 0
	}
	return float64(r.Cells[column].States) / float64(r.Cells[0].States)
}

// crashMarkdown returns the table with its explanation.
func crashMarkdown(rows []*tableRow, machine string) string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "\n`go run ./evaluation tables crash --markdown`"+
		` writes this part, by bfs with one worker, %s: stored states, and the CPU seconds of the
whole process. All settings take quorums. Each node may crash, and stays down (`+"`--halts`"+`). A crash during a step may lose any
subset of its messages, as in the paper (`+"`--crash-cut subset`"+`). If crashes are omitted (`+"`--crash-model implicit`, with up to %d of them"+`)
a search without findings also proves that this changes no verdict. If the verdict is "violated", a search ends at the first violation, and
its states show its progress only.

| setting | verdict | the paper | `+"`--reduce`"+` | implicit |`, machine, mostCrashed)
	for n := 1; n <= mostCrashed; n++ {
		fmt.Fprintf(&b, " %s |", crashes(n))
	}
	b.WriteString("\n|---|---|---|---|--:|" + strings.Repeat("--:|", mostCrashed) + "\n")
	least := make([]float64, mostCrashed+1)
	for _, r := range rows {
		cells := []string{r.Setting, r.verdict(), r.Published, r.Variant, r.cell(leftOut)}
		for n := 1; n <= mostCrashed; n++ {
			text := r.cell(crashes(n))
			if times := r.times(n); times > 0 {
				text += fmt.Sprintf(" (%.1f times)", times)
				if least[n] == 0 || times < least[n] {
					least[n] = times
				}
			}
			cells = append(cells, text)
		}
		row(&b, cells...)
	}
	if least[mostCrashed] > 0 {
		fmt.Fprintf(&b, "\nSearches that visited all states had at least %.1f, %.1f and %.1f times as many states with 1, 2 and 3 "+
			"crashes as without.\n", least[1], least[2], least[3])
	}
	fmt.Fprintf(&b, `
![States by the number of nodes that may crash](%s)

Limits of the comparison: the paper's states are those of a Java virtual machine, and its models are not available. Faulty Paxos 2 is not defined there; here acceptors accept below
their promise. Empty cells in the column of the paper: the figures are unknown.
`, tablePicture("crash"))
	return b.String()
}

// The picture, in pixels.
const (
	pictureWidth, pictureHeight = 760, 420
	pictureLeft, pictureRight   = 90, 520
	pictureTop, pictureBottom   = 50, 360
)

var lineColors = []string{"#0b5fa5", "#c2570c", "#2e7d32", "#7b3fa0"}

// crashPicture draws the number of states by the number of crashes, on a logarithmic scale, for the settings with all states
// visited: a solid line for explicit crashes, a dashed one for implicit crashes.
func crashPicture(rows []*tableRow) string {
	var lines []*tableRow
	least, most := math.Inf(1), 0.0
	for _, r := range rows {
		if r.times(mostCrashed) == 0 || r.times(1) == 0 || r.times(2) == 0 {
			continue
		}
		lines = append(lines, r)
		for _, c := range r.Cells {
			least, most = min(least, float64(c.States)), max(most, float64(c.States))
		}
	}
	low, high := math.Floor(math.Log10(max(1, min(least, most)))), math.Ceil(math.Log10(max(10, most)))
	x := func(crashes int) int { return pictureLeft + (pictureRight-pictureLeft)*crashes/mostCrashed }
	y := func(states int) int {
		return pictureBottom - int((pictureBottom-pictureTop)*(math.Log10(float64(states))-low)/max(1, high-low))
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%[1]d" height="%[2]d" `+
		`font-family="sans-serif" font-size="13" fill="#222">
%s
<rect width="100%%" height="100%%" fill="#fff"/>
<text x="%d" y="28" font-size="17">States, by the number of nodes that may crash</text>
`, pictureWidth, pictureHeight, tablesMark, pictureLeft)
	for decade := low; decade <= high; decade++ {
		states := int(math.Pow(10, decade))
		fmt.Fprintf(&b, `<path d="M%d %dH%d" stroke="#ddd"/><text x="%d" y="%d" text-anchor="end">%s</text>`+"\n",
			pictureLeft, y(states), pictureRight, pictureLeft-8, y(states)+4, textfmt.Number(states))
	}
	for crashes := 0; crashes <= mostCrashed; crashes++ {
		fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%d</text>`+"\n", x(crashes), pictureBottom+20, crashes)
	}
	for i, r := range lines {
		color := lineColors[i%len(lineColors)]
		without := y(r.Cells[0].States)
		path := fmt.Sprintf("M%d %d", x(0), without) // without crashes
		for n := 1; n <= mostCrashed; n++ {
			path += fmt.Sprintf("L%d %d", x(n), y(r.Cells[n].States))
		}
		fmt.Fprintf(&b, `<path d="%s" fill="none" stroke="%s" stroke-width="2"/>`+
			`<path d="M%d %dH%d" stroke="%[2]s" stroke-dasharray="6 4"/>`+"\n", path, color, x(0), without, pictureRight)
		at := pictureTop + 24*i
		fmt.Fprintf(&b, `<path d="M%d %dh30" stroke="%s" stroke-width="2"/><text x="%d" y="%d">%s, %s</text>`+"\n", pictureRight+20, at,
			color, pictureRight+58, at+4, r.Setting, r.Variant)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d">dashed: implicit crashes</text>`+"\n</svg>\n", pictureRight+20, pictureTop+24*len(lines)+8)
	return b.String()
}
