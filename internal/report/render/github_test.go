package render_test

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// workflowCommand is a workflow command as GitHub Actions reads it.
type workflowCommand struct {
	level, message string
	properties     map[string]string
}

// workflowCommands reads lines in which nothing but workflow commands is expected.
func workflowCommands(t *testing.T, text []byte) (all []workflowCommand) {
	t.Helper()
	lines := strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' || r == '\r' })
	if ends := strings.Count(string(text), "\n"); ends != len(lines) || strings.Contains(string(text), "\r") {
		t.Errorf("%d line ends, want one in each of %d lines: %q", ends, len(lines), text)
	}
	data := strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%")
	value := strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")
	for _, line := range lines {
		rest, begins := strings.CutPrefix(line, "::")
		head, message, ok := strings.Cut(rest, "::")
		if !begins || !ok {
			t.Fatalf("no workflow command: %q", line)
		}
		c := workflowCommand{message: data.Replace(message), properties: map[string]string{}}
		var properties string
		if c.level, properties, ok = strings.Cut(head, " "); ok {
			for p := range strings.SplitSeq(properties, ",") {
				name, v, _ := strings.Cut(p, "=")
				c.properties[name] = value.Replace(v)
			}
		}
		all = append(all, c)
	}
	return all
}

// A finding is an error at its source line. A search without a finding is a notice, and one without a verdict a warning.
func TestGitHub_Levels(t *testing.T) {
	found := pingackReport(t)
	several := report.Report{Settings: report.Settings{System: "bomb"}, Verdict: search.Violation,
		Findings: []*report.Report{found, found}}
	verdict := func(v search.Verdict) *report.Report {
		r := nothingFound()
		r.Verdict = v
		return r
	}
	panics := report.Report{Settings: report.Settings{System: "bomb"}, Verdict: search.Violation, Kind: sim.Panic, Message: "boom",
		Stack: "goroutine 1 [running]:\npanic(...)\n\t/go/src/runtime/panic.go:1\n" +
			"example.com/bomb.(*B).Light(...)\n\t/elsewhere/bomb.go:41 +0x1\n"}
	unknown := report.Report{Settings: report.Settings{System: "bomb"}, Verdict: search.Violation, Kind: sim.Divergence, Message: "hangs"}
	unknown.Commands.Look = "macemc mdb x.path"
	accepted := nothingFound()
	accepted.Known = []report.Known{{File: "a.path", Reason: "issue 12", Kind: sim.Panic, Status: report.Recurs}}
	const (
		pingack = "error map[file:systems/pingack/pingack.go line:48 title:every ping is acknowledged] [macemc] pingack: LIVENESS VIOLATION\n"
		nothing = "notice map[] [macemc] pingack: nothing found in 5.0s elapsed"
	)
	for name, c := range map[string]struct {
		r     *report.Report
		wants []string
	}{
		"a finding":    {found, []string{pingack}},
		"two findings": {&several, []string{pingack, pingack}},
		"panic": {&panics, []string{"error map[file:/elsewhere/bomb.go line:41 title:panic] [macemc] bomb: PANIC\n" +
			"Panic: boom\nexample.com/bomb.(*B).Light at elsewhere/bomb.go:41"}},
		"no position": {&unknown, []string{"error map[title:divergence] [macemc] bomb: DIVERGENCE\n" +
			"A handler does not return: hangs\nmacemc mdb x.path"}},
		"nothing":       {nothingFound(), []string{nothing}},
		"inconclusive":  {verdict(search.Inconclusive), []string{"warning map[] [macemc] pingack: INCONCLUSIVE after "}},
		"interrupted":   {verdict(search.Interrupted), []string{"warning map[] [macemc] pingack: INTERRUPTED after "}},
		"out of memory": {verdict(search.OutOfResource), []string{"warning map[] [macemc] pingack: OUT OF RESOURCES after "}},
		"accepted": {accepted, []string{"notice map[] [macemc] pingack: nothing new found",
			"notice map[] [macemc] known: panic; only in its file: issue 12 (a.path)"}},
	} {
		got := workflowCommands(t, printed(t, render.GitHub, c.r))
		if len(got) != len(c.wants) {
			t.Errorf("%s: got %q, want %q", name, got, c.wants)
			continue
		}
		for i, want := range c.wants {
			if text := fmt.Sprint(got[i].level, " ", got[i].properties, " ", got[i].message); !strings.HasPrefix(text, want) {
				t.Errorf("%s: got %q, want %q", name, text, want)
			}
		}
	}
}

// Properties escape more than messages do.
func TestGitHub_Escapes(t *testing.T) {
	r := report.Report{Settings: report.Settings{System: "bomb"}, Verdict: search.Violation, Kind: sim.Safety, Property: "a:b,c=%d\r\ne\x1b",
		PathFile: "o,u:t/100%.path"}
	r.Commands.Replay = "macemc replay 'o,u:t/100%.path'\r\n::error::x"
	contains(t, string(printed(t, render.GitHub, &r)), true,
		"::error file=internal/report/render/o%2Cu%3At/100%25.path,line=1,title=a%3Ab%2Cc=%25d%0D%0Ae\ufffd::[macemc] bomb: SAFETY VIOLATION%0A",
		"%0Athe run at o,u:t/100%25.path:1%0Amacemc replay 'o,u:t/100%25.path'%0D%0A::error::x\n")
}

// A search without a report is an error with its whole explanation.
func TestGitHub_SeveralSearches(t *testing.T) {
	all := severally(t, "github", resultsOf(t, "a", nothingFound()), render.Missing("b", "# b\ndoes not build"))
	if want := string(printed(t, render.GitHub, nothingFound())) + "::error::[macemc] b: # b%0Adoes not build\n"; all != want {
		t.Errorf("got %q, want %q", all, want)
	}
}

// No text leaves its line or its place in the command. Control characters other than line ends are replaced.
func FuzzGitHub(f *testing.F) {
	f.Add("few", "out/error.path", "macemc replay out/error.path")
	f.Add("a\r\n::error::b", "::stop-commands::x,line=2", "%0A::add-mask::\n::endgroup::")
	f.Add("\x00\xff\u0085\u2028", "%25%3A", "##[error]")
	f.Fuzz(func(t *testing.T, property, path, command string) {
		printable := func(s string) string { // but carriage returns are escaped
			parts := strings.Split(s, "\r")
			for i := range parts {
				parts[i] = textfmt.Printable(parts[i])
			}
			return strings.Join(parts, "\r")
		}
		r := report.Report{Settings: report.Settings{System: "bomb"}, Verdict: search.Violation, Kind: sim.Safety, Property: property,
			PathFile: path}
		r.Commands.Replay = command
		all := workflowCommands(t, printed(t, render.GitHub, &r))
		if len(all) != 1 {
			t.Fatalf("%d commands, want one: %q", len(all), all)
		}
		want := map[string]string{"title": printable(cmp.Or(property, "safety violation"))}
		if path != "" {
			want["line"], want["file"] = "1", printable(inRepository(t, path))
		}
		if c := all[0]; c.level != "error" || !maps.Equal(c.properties, want) || !strings.HasPrefix(c.message, "[macemc] bomb: ") ||
			!strings.HasSuffix(c.message, printable(command)) {
			t.Errorf("got %q, want %q and %q", c, want, command)
		}
	})
}

// inRepository returns the path of a file relative to the repository if it lies there, or else its absolute path.
func inRepository(t *testing.T, file string) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	if file, err = filepath.Abs(file); err != nil {
		t.Fatal(err)
	}
	if rel, err := filepath.Rel(root, file); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return file
}
