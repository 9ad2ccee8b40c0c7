package render

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
)

// gitHubMark is in each line of [GitHub]. It separates the properties of a workflow command from its message.
const gitHubMark = "::[macemc] "

// GitHub writes workflow commands of GitHub Actions, which annotate a pull request: an error at the first source position
// of each finding, and for a search without a finding a notice, or a warning if it has no verdict. Paths are relative to
// the repository. Accepted findings are notices.
func GitHub(w io.Writer, d *document.Document) error {
	b := bufio.NewWriter(w)
	found := d.Findings
	if d.Single() {
		found = []*document.Document{d}
	}
	for _, f := range found {
		b.WriteString(gitHubFinding(f))
	}
	if len(found) == 0 {
		level := "warning"
		if d.Report.Verdict == search.OK {
			level = "notice"
		}
		b.WriteString(gitHubCommand(level, d.Title))
	}
	for _, line := range document.KnownLines(d.Report) {
		b.WriteString(gitHubCommand("notice", line))
	}
	return b.Flush()
}

// gitHubFinding returns the workflow command for a finding: the violation, its first position, and the command that
// executes the run.
func gitHubFinding(d *document.Document) string {
	r := d.Report
	head, message := "error ", d.Title+"\n"+d.Sentence
	if all := document.Positions(r); len(all) > 0 {
		p := all[0]
		path, _ := inRepository(repository(), p.File)
		head += fmt.Sprintf("file=%s,line=%d,", gitHubProperty(path), p.Line)
		message += fmt.Sprintf("\n%s at %s", p.Text, p.Short)
	}
	if run := cmp.Or(r.Commands.Replay, r.Commands.Look); run != "" {
		message += "\n" + run
	}
	head += "title=" + gitHubProperty(cmp.Or(r.Property, document.KindName(r.Kind)))
	return gitHubCommand(head, message)
}

// gitHubCommand returns a workflow command, as one line. head is its name with escaped properties.
func gitHubCommand(head, message string) string {
	return "::" + head + gitHubMark + textfmt.Printable(gitHubData.Replace(message)) + "\n"
}

// gitHubProperty escapes the value of a property.
func gitHubProperty(value string) string { return textfmt.Printable(gitHubValue.Replace(value)) }

// The escapes of messages and of properties.
var (
	gitHubData  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	gitHubValue = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// MergeGitHub writes the workflow commands of several searches. A search without output is an error.
func MergeGitHub(w io.Writer, parts []Output) error {
	return concatenate(w, parts, func(p Output) string { return gitHubCommand("error", p.Name+": "+p.Problem) })
}
