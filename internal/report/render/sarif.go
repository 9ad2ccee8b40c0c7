package render

import (
	"cmp"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
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
	return resultsSARIF(w, []Results{{Annotations: annotations(d)}})
}

func resultsSARIF(w io.Writer, list []Results) error {
	// Services for code scanning accept one run of a tool.
	run := sarifRun{Results: []sarifResult{}, Invocations: []sarifInvocation{}}
	driver := &run.Tool.Driver
	driver.Name, driver.Rules = "macemc", []sarifRule{}
	for i := range list {
		r := &list[i]
		driver.Version = cmp.Or(r.Program, driver.Version)
		root := repository(r.Folder)
		for k := range r.Findings {
			run.Results = append(run.Results, sarifOf(&r.Findings[k], root))
		}
		run.Invocations = append(run.Invocations, sarifInvocationOf(&r.Annotations))
	}
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

func sarifInvocationOf(a *Annotations) sarifInvocation {
	of := sarifInvocation{Successful: (a.Verdict == search.OK || a.Verdict == search.Violation) && len(a.Problems) == 0}
	for _, line := range a.Problems {
		of.note("error", line)
	}
	for _, line := range a.Notes {
		of.note("note", line)
	}
	if a.Title != "" && (a.Titled || len(a.found()) == 0) {
		level := "note"
		if !of.Successful {
			level = "error"
		}
		of.note(level, a.Title)
	}
	return of
}

// sarifOf returns the result for a finding. Paths are relative to the folder root.
func sarifOf(f *Annotation, root string) sarifResult {
	result := sarifResult{Rule: ruleID(f.Rule), Level: "error", Message: sarifText{f.headline()}, Locations: []sarifLocation{}}
	for i, p := range f.Positions {
		at := sarifLocation{Message: sarifText{textfmt.Printable(p.Text)}}
		at.Physical.Artifact, at.Physical.Region.Line = artifact(root, p.File), p.Line
		if i == 0 {
			result.Locations = append(result.Locations, at)
			continue
		}
		at.ID = &i
		result.Related = append(result.Related, at)
	}
	if f.Accepted != "" {
		result.Suppressions = []sarifSuppression{{"external", "accepted", textfmt.Printable(f.Accepted)}}
	}
	return result
}

func (i *sarifInvocation) note(level, text string) {
	i.Notifications = append(i.Notifications, sarifNotification{level, sarifText{textfmt.Printable(text)}})
}

// ruleID returns the rule for a kind of finding.
func ruleID(kind string) string { return strings.ReplaceAll(kind, " ", "-") }

// repository returns the folder to which paths of files in a folder are relative: that of its repository, its module, or
// else the folder itself. An empty folder is the working directory.
func repository(folder string) string {
	wd, err := filepath.Abs(folder)
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
