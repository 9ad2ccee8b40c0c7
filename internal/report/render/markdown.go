package render

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/textfmt"
)

// Markdown writes the report as a Markdown document with a Mermaid diagram.
func Markdown(w io.Writer, d *document.Document) error {
	b := bufio.NewWriter(textfmt.Printer(w))
	r := d.Report
	fmt.Fprintf(b, "# %s\n\n", markdownText(d.Title))
	if !d.Single() {
		for _, line := range d.Coverage {
			fmt.Fprintf(b, "* %s\n", markdownText(line))
		}
		markdownCommands(b, r)
		return b.Flush()
	}
	fmt.Fprintf(b, "**%s.**\n\n", markdownText(strings.TrimRight(d.Sentence, ".")))
	fmt.Fprintf(b, "With %s.\n\n", markdownText(document.Deciding(r)))
	markdownFacts(b, d.Violated)
	if c := d.Code; c != nil {
		label, note := c.Label, ""
		if label != "" {
			label += " "
		}
		if c.Note != "" {
			note = " -- " + markdownText(c.Note)
		}
		fmt.Fprintf(b, "\n%s`%s`%s\n\n```text\n%s\n```\n", label, c.Place, note, strings.ReplaceAll(strings.Join(c.Text(), "\n"), "```", "'''"))
	}
	if d.Code != nil && len(d.Compared) > 0 {
		b.WriteString("\n")
	}
	markdownFacts(b, d.Compared)
	for i, c := range d.Causes {
		if i == 0 {
			b.WriteString("\n**Causes:**\n")
		}
		fmt.Fprintf(b, "\n`%s` -- %s\n", c.Place, markdownText(c.Note))
		if i == 0 {
			fmt.Fprintf(b, "\n```text\n%s\n```\n", strings.ReplaceAll(strings.Join(c.Text(), "\n"), "```", "'''"))
		}
	}
	if d.MoreCauses > 0 {
		fmt.Fprintf(b, "\nand %s\n", textfmt.Plural(d.MoreCauses, "more handler"))
	}
	if d.Tail != "" {
		fmt.Fprintf(b, "\n**T%s:** %s\n", d.TailLabel()[1:], markdownText(d.Tail))
	}
	if d.Dead != nil {
		fmt.Fprintf(b, "\n## The violating run (%s)\n\n", textfmt.Plural(d.Dead.Last(), "step"))
		if err := markdownGraph(b, d.Dead, d.DeadSteps); err != nil {
			return err
		}
	}
	if d.Live != nil {
		fmt.Fprintf(b, "\n## The %s\n\n", markdownText(d.LiveTitle()))
		if err := markdownGraph(b, d.Live, d.LiveSteps); err != nil {
			return err
		}
	}
	fmt.Fprintf(b, "\n## More\n\nChecked: %s; %s.\n\n", markdownText(document.Setting(r)), document.Searched(r))
	markdownFacts(b, d.Facts)
	markdownCommands(b, r)
	return b.Flush()
}

func markdownFacts(b *bufio.Writer, facts []document.Fact) {
	for _, f := range facts {
		if f.Label != "" {
			fmt.Fprintf(b, "* **%s** %s", f.Label, markdownText(f.Text))
		} else {
			fmt.Fprintf(b, "* %s", markdownText(f.Text))
		}
		if f.Aside != "" {
			fmt.Fprintf(b, " -- %s", markdownText(strings.ReplaceAll(f.Aside, "\n", "; ")))
		}
		b.WriteString("\n")
	}
}

// markdownGraph writes steps of a graph as text and as a diagram.
func markdownGraph(b *bufio.Writer, g *eventgraph.Graph, steps []int) error {
	if len(steps) == 0 {
		return nil
	}
	b.WriteString("```text\n")
	for _, line := range document.Excerpt(g, steps, true, false, 0) {
		b.WriteString(strings.ReplaceAll(line, "```", "'''") + "\n")
	}
	b.WriteString("```\n\n```mermaid\n")
	if err := g.Mermaid(b, eventgraph.Options{Steps: steps, Fold: -1}); err != nil {
		return err
	}
	b.WriteString("```\n")
	return nil
}

func markdownCommands(b *bufio.Writer, r *report.Report) {
	c := r.Commands
	if c == (report.Commands{}) {
		return
	}
	b.WriteString("\n## Look closer\n\n```sh\n")
	for _, line := range []string{c.Look, c.Replay, c.Search} {
		if line != "" {
			b.WriteString(line + "\n")
		}
	}
	b.WriteString("```\n")
	if c.Report != "" {
		fmt.Fprintf(b, "\nThe whole report: `%s`\n", c.Report)
	}
}

var markdownEscapes = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "|", `\|`, "\n", " ")

// markdownText escapes text for Markdown and HTML.
func markdownText(s string) string { return markdownEscapes.Replace(s) }
