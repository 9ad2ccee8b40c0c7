package render

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

const (
	sarifVersion = "2.1.0"
	sarifSchema  = "https://json.schemastore.org/sarif-2.1.0.json"
	// sarifMark is in the first lines of every [SARIF] document.
	sarifMark = `"$schema": "` + sarifSchema + `"`
)

// The used part of the types of a SARIF log (OASIS, Static Analysis Results Interchange Format 2.1.0).
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool         `json:"tool"`
		Invocations []sarifInvocation `json:"invocations"`
		Results     []sarifResult     `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name    string      `json:"name"`
		Version string      `json:"version,omitempty"`
		Rules   []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID    string    `json:"id"`
		Short sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifResult struct {
		Rule      string          `json:"ruleId"`
		Level     string          `json:"level"`
		Message   sarifText       `json:"message"`
		Locations []sarifLocation `json:"locations"`
		Related   []sarifLocation `json:"relatedLocations,omitempty"`
		// Suppressions holds why the finding is accepted.
		Suppressions []sarifSuppression `json:"suppressions,omitempty"`
	}
	sarifSuppression struct {
		Kind          string `json:"kind"`
		Status        string `json:"status"`
		Justification string `json:"justification"`
	}
	sarifLocation struct {
		ID       *int          `json:"id,omitempty"`
		Physical sarifPhysical `json:"physicalLocation"`
		Message  sarifText     `json:"message"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   sarifRegion   `json:"region"`
	}
	sarifArtifact struct {
		URI  string `json:"uri"`
		Base string `json:"uriBaseId,omitempty"`
	}
	sarifRegion struct {
		Line int `json:"startLine"`
	}
)

// SARIF writes the findings as a SARIF log for code scanning. A search without a finding has no results but a
// notification that describes its coverage. A search without a verdict counts as not executed successfully.
func SARIF(w io.Writer, d *document.Document) error {
	r := d.Report
	decided := r.Verdict == search.OK || r.Verdict == search.Violation
	run := sarifRun{Results: []sarifResult{}, Invocations: []sarifInvocation{{Successful: decided}}}
	run.Tool.Driver.Version = r.Program
	root := repository()
	found := slices.Clone(r.Each())
	accepted := map[*report.Report]*report.Known{}
	for i := range r.Known {
		if k := &r.Known[i]; k.Status == report.Recurs && k.Of != nil {
			found, accepted[k.Of] = append(found, k.Of), k
		}
	}
	for _, f := range found {
		result := sarifResult{Rule: ruleID(f.Kind), Level: "error", Message: sarifText{document.Headline(f)}}
		for i, p := range document.Positions(f) {
			at := sarifLocation{Message: sarifText{textfmt.Printable(p.Text)}}
			at.Physical.Artifact, at.Physical.Region.Line = artifact(root, p.File), p.Line
			if i == 0 {
				result.Message.Text += fmt.Sprintf(" (%s)", at.Message.Text)
				result.Locations = append(result.Locations, at)
				continue
			}
			at.ID = &i
			result.Related = append(result.Related, at)
		}
		if f.Commands.Look != "" {
			result.Message.Text += "; " + textfmt.Printable(f.Commands.Look)
		}
		if k := accepted[f]; k != nil {
			result.Suppressions = []sarifSuppression{{"external", "accepted", textfmt.Printable(k.Reason + " (" + k.File + ")")}}
		}
		run.Results = append(run.Results, result)
	}
	for _, line := range document.KnownLines(r) {
		run.Invocations[0].note("note", line)
	}
	if len(run.Results) == len(accepted) || r.Findings != nil {
		level := "note"
		if !run.Invocations[0].Successful {
			level = "error"
		}
		run.Invocations[0].note(level, d.Title)
	}
	return writeSARIF(w, run)
}

func (i *sarifInvocation) note(level, text string) {
	i.Notifications = append(i.Notifications, sarifNotification{level, sarifText{textfmt.Printable(text)}})
}

// MergeSARIF writes one log with one run that has the results of several searches, since services for code scanning
// accept one run of a tool. A search without output is an unsuccessful invocation.
func MergeSARIF(w io.Writer, parts []Output) error {
	all := sarifRun{Results: []sarifResult{}, Invocations: []sarifInvocation{}}
	for _, p := range parts {
		if p.Text == nil {
			var failed sarifInvocation
			failed.note("error", p.Name+": "+p.Problem)
			all.Invocations = append(all.Invocations, failed)
			continue
		}
		var log sarifLog
		if err := json.Unmarshal(p.Text, &log); err != nil {
			return fmt.Errorf("SARIF of %s: %w", p.Name, err)
		}
		for _, run := range log.Runs {
			all.Tool = run.Tool
			all.Invocations = append(all.Invocations, run.Invocations...)
			all.Results = append(all.Results, run.Results...)
		}
	}
	return writeSARIF(w, all)
}

// writeSARIF writes a log with one run and the rules of its results.
func writeSARIF(w io.Writer, run sarifRun) error {
	driver := &run.Tool.Driver
	driver.Name, driver.Rules = "macemc", []sarifRule{}
	for _, result := range run.Results {
		if !slices.ContainsFunc(driver.Rules, func(r sarifRule) bool { return r.ID == result.Rule }) {
			driver.Rules = append(driver.Rules, sarifRule{result.Rule, sarifText{strings.ReplaceAll(result.Rule, "-", " ")}})
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(sarifLog{sarifSchema, sarifVersion, []sarifRun{run}})
}

// ruleID returns the rule for a kind of finding.
func ruleID(k sim.FindingKind) string { return strings.ReplaceAll(document.KindName(k), " ", "-") }

// repository returns the folder to which paths are relative: that of the repository, the module, or else the working
// directory.
func repository() string {
	wd, err := os.Getwd()
	if err != nil {
		return ""
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	if dir := replay.Module(wd); dir != "" {
		return dir
	}
	return wd
}

// inRepository returns the path of a file with slashes, relative to the folder root if the file lies there.
func inRepository(root, file string) (path string, inside bool) {
	if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel), true
	}
	return filepath.ToSlash(file), false
}

// artifact returns the URI of a file, relative to the repository if the file lies there. A file name that is not
// absolute is from a build with -trimpath.
func artifact(root, file string) sarifArtifact {
	path, inside := inRepository(root, file)
	u := url.URL{Path: path}
	if inside {
		return sarifArtifact{u.String(), "%SRCROOT%"}
	}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
	}
	return sarifArtifact{URI: u.String()}
}
