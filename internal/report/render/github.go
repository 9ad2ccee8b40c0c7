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
	return resultsGitHub(w, []Results{{Annotations: annotations(d)}})
}

func resultsGitHub(w io.Writer, list []Results) error {
	b := bufio.NewWriter(w)
	for i := range list {
		r := &list[i]
		found := r.found()
		for k := range found {
			b.WriteString(gitHubFinding(&found[k], r.Folder))
		}
		for _, line := range r.Problems {
			b.WriteString(gitHubCommand("error", line))
		}
		if len(found) == 0 && r.Title != "" {
			level := "warning"
			if r.Verdict == search.OK || r.Verdict == search.Violation {
				level = "notice"
			}
			b.WriteString(gitHubCommand(level, r.Title))
		}
		for _, line := range r.Notes {
			b.WriteString(gitHubCommand("notice", line))
		}
	}
	return b.Flush()
}

// gitHubFinding returns the workflow command for a finding: the violation, its first position, and the command that
// executes the run.
func gitHubFinding(f *Annotation, folder string) string {
	head, message := "error ", f.Text
	if len(f.Positions) > 0 {
		p := f.Positions[0]
		path, _ := inRepository(repository(folder), p.File)
		head += fmt.Sprintf("file=%s,line=%d,", gitHubProperty(path), p.Line)
		message += fmt.Sprintf("\n%s at %s", p.Text, p.Short)
	}
	if run := cmp.Or(f.Replay, f.Look); run != "" {
		message += "\n" + run
	}
	return gitHubCommand(head+"title="+gitHubProperty(f.Title), message)
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
