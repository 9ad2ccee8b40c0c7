package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
)

// Markdown writes the report as a Markdown document with a Mermaid diagram.
func Markdown(w io.Writer, r *Report) error {
	b := bufio.NewWriter(textfmt.Printer(w))
	s := r.summarise()
	fmt.Fprintf(b, "# %s\n\n", markdownText(s.title))
	if r.Verdict != search.Violation {
		for _, line := range s.coverage {
			fmt.Fprintf(b, "* %s\n", markdownText(line))
		}
		markdownCommands(b, r)
		return b.Flush()
	}
	fmt.Fprintf(b, "**%s.**\n\n", markdownText(strings.TrimRight(s.sentence, ".")))
	fmt.Fprintf(b, "Checked: %s; %s.\n\n", markdownText(r.setting()), r.searched())
	for _, f := range s.facts {
		if f.label != "" {
			fmt.Fprintf(b, "* **%s** %s", f.label, markdownText(f.text))
		} else {
			fmt.Fprintf(b, "* %s", markdownText(f.text))
		}
		if f.aside != "" {
			fmt.Fprintf(b, " -- %s", markdownText(strings.ReplaceAll(f.aside, "\n", "; ")))
		}
		b.WriteString("\n")
	}
	if s.difference != "" {
		fmt.Fprintf(b, "* **first difference** (dead | live): `%s`\n", s.difference)
	}
	if s.tail != "" {
		fmt.Fprintf(b, "* **then forever:** %s\n", markdownText(s.tail))
	}
	if s.dead != nil {
		fmt.Fprintf(b, "\n## The violating run (%s)\n\n", textfmt.Plural(s.dead.Last(), "step"))
		if err := markdownGraph(b, s.dead, s.deadSteps); err != nil {
			return err
		}
	}
	if s.live != nil {
		fmt.Fprintf(b, "\n## The %s\n\n", markdownText(s.recovered(r)))
		if err := markdownGraph(b, s.live, s.liveSteps); err != nil {
			return err
		}
	}
	markdownCommands(b, r)
	return b.Flush()
}

// markdownGraph writes steps of a graph as text and as a diagram.
func markdownGraph(b *bufio.Writer, g *eventgraph.Graph, steps []int) error {
	if len(steps) == 0 {
		return nil
	}
	b.WriteString("```text\n")
	for _, line := range excerpt(g, steps, true, 0) {
		b.WriteString(strings.ReplaceAll(line, "```", "'''") + "\n")
	}
	b.WriteString("```\n\n```mermaid\n")
	if err := g.Mermaid(b, eventgraph.Options{Steps: steps, Fold: -1}); err != nil {
		return err
	}
	b.WriteString("```\n")
	return nil
}

func markdownCommands(b *bufio.Writer, r *Report) {
	c := r.Commands
	if c == (Commands{}) {
		return
	}
	b.WriteString("\n## Look closer\n\n```sh\n")
	for _, line := range []string{c.Look, c.Rerun} {
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

// markdownText keeps text from being taken for Markdown or HTML.
func markdownText(s string) string { return markdownEscapes.Replace(s) }
