package render_test

import (
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/test/golden"
	"github.com/macemc/macemc/internal/test/mermaid"
	"github.com/macemc/macemc/internal/test/systest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/pingack"
)

func trace(t *testing.T, sys *sim.System, keys ...string) *replay.Trace {
	t.Helper()
	tr, err := replay.Record(sys, systest.Follow(t, sys, keys...), kernel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// pingackReport returns the report of a run of pingack that dies in step 6.
func pingackReport(t *testing.T) *report.Report {
	t.Helper()
	common := []string{
		"action n0 ping", "deliver n1<-n0 Ping{Seq:1}", "deliver n0<-n1 Ack{Seq:1}",
		"action n0 ping", "deliver n1<-n0 Ping{Seq:2}",
	}
	keys := append(common[:5:5], "lose n0<-n1 Ack{Seq:2}")
	for range 10 {
		keys = append(keys, "timer n0 resend{}", "deliver n1<-n0 Ping{Seq:2}")
	}
	dead := trace(t, &pingack.System, keys...)
	live := trace(t, &pingack.System, append(common[:5:5], "deliver n0<-n1 Ack{Seq:2}")...)
	res := &critical.Result{
		Transition: critical.Transition{
			Case: critical.Located, Step: 6, LiveCommon: 5,
			Before: critical.Probe{Step: 5, Walks: 1, Recovered: 1, Limit: 2000},
			After:  critical.Probe{Step: 6, Walks: 200, Recovered: 0, Limit: 2000},
			Tail: critical.Tail{Repeats: []critical.Repeat{
				{Event: "n0 timer resend", Count: 1000, Changes: 1000}, {Event: "n1 Ping{2}", Count: 990},
			}},
		},
		Choice: -1,
	}
	return &report.Report{
		Settings: report.Settings{System: "pingack", Nodes: 2, Limits: pingack.System.Limits(),
			Timing: pingack.System.Timing.String(), Strategy: "deepening"},
		Seed: 1, Workers: 2, Verdict: search.Violation, Kind: sim.Liveness,
		Property: "every ping is acknowledged", Steps: 26, Work: search.Work{Paths: 12, States: 345, Events: 6789, Seconds: 0.4},
		WalkSteps: 2000, Stopped: "found", PathFile: "out/error.path", LivePathFile: "out/live.path",
		Critical: report.CriticalOf(res, dead), Dead: dead, Live: live,
		Commands: report.Commands{
			Look: "macemc mdb out/error.path", Replay: "go test -run 'TestPingAck$' -macemc.replay=out/error.path",
			Report: "out/report.html", More: "-macemc.keep-going continues the search after a violation",
		},
	}
}

func nothingFound() *report.Report {
	return &report.Report{
		Settings: report.Settings{System: "pingack", Nodes: 2, Limits: sim.Limits{sim.Loss: 1}, Timing: "ByDeadline",
			Strategy: "deepening"},
		Verdict: search.OK, Work: search.Work{States: 81204, Paths: 3120, Seconds: 5, Phases: []stats.Phase{
			{Name: "deepening", Paths: 10},
			// 2 values of 16 to 31 among 3: the median is one of them.
			{Name: "leaf walks", Paths: 3, Live: 3, Steps: stats.Histogram{Count: 3, Min: 18, Max: 310,
				Buckets: []int{0, 0, 0, 0, 0, 2, 0, 0, 0, 1}}},
			{Name: "faulty walks", Paths: 4, Live: 2, OutOfEvents: 1, TooLong: 1},
		}}, WalkSteps: 2000, Stopped: "time",
		Coverage: report.Coverage{
			Coverage: search.Coverage{ExhaustedDepth: 14, NeverHappened: []string{"timer Pinger.retry", "message Nack"}, Sometimes: []stats.Sometimes{{Property: "a resend was acknowledged", Runs: 412}, {Property: "two pings crossed"}}, FaultsUsed: sim.Limits{sim.Loss: 1}, BySample: []string{"handlers are deterministic", "When has no side effects"}},
		},
	}
}

func printed(t *testing.T, f func(io.Writer, *document.Document) error, r *report.Report) []byte {
	t.Helper()
	return printedWith(t, f, r, nil, document.Style{})
}

func printedWith(t *testing.T, f func(io.Writer, *document.Document) error, r *report.Report, properties []sim.Property, style document.Style) []byte {
	t.Helper()
	d := document.New(r, properties)
	d.Style = style
	var b bytes.Buffer
	if err := f(&b, d); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// flat returns a text on one line.
func flat(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }

// contains checks whether parts are in a text.
func contains(t *testing.T, text string, wanted bool, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(text, part) != wanted {
			t.Errorf("%q: %v, want %v in\n%s", part, !wanted, wanted, text)
		}
	}
}

func TestGolden(t *testing.T) {
	found, none := pingackReport(t), nothingFound()
	golden.Compare(t, "pingack.txt", printed(t, render.Terminal, found))
	golden.Compare(t, "pingack.md", printed(t, render.Markdown, found))
	golden.Compare(t, "pingack.json", printed(t, render.JSON, found))
	golden.Compare(t, "pingack.sarif", printed(t, render.SARIF, found))
	golden.Compare(t, "pingack.lines", printed(t, render.Lines, found))
	golden.Compare(t, "pingack.github", printed(t, render.GitHub, found))
	own := regexp.MustCompile(`(?s)<style>.*?</style>|<script>.*?</script>`) // separate files
	golden.Compare(t, "pingack.html", own.ReplaceAll(printed(t, render.HTML, found), nil))
	golden.Compare(t, "nothing.txt", printed(t, render.Terminal, none))
	golden.Compare(t, "nothing.md", printed(t, render.Markdown, none))
	none.Verdict, none.Suspects, none.Undecided = search.Inconclusive, 3, 1
	golden.Compare(t, "inconclusive.txt", printed(t, render.Terminal, none))
}

// The keys of the JSON are a contract.
func TestJSONKeys(t *testing.T) {
	var got map[string]any
	if err := json.Unmarshal(printed(t, render.JSON, pingackReport(t)), &got); err != nil {
		t.Fatal(err)
	}
	for _, key := range strings.Fields("system bugs seed verdict kind property steps depth paths states events " +
		"seconds path_file live_path_file critical coverage") {
		if _, ok := got[key]; !ok {
			t.Errorf("key %q is missing", key)
		}
	}
	for _, key := range strings.Fields("case step node event choice walks limit") {
		if _, ok := got["critical"].(map[string]any)[key]; !ok {
			t.Errorf("key critical.%s is missing", key)
		}
	}
	for _, key := range strings.Fields("exhausted_depth complete omission_probability never_happened") {
		if _, ok := got["coverage"].(map[string]any)[key]; !ok {
			t.Errorf("key coverage.%s is missing", key)
		}
	}
}

// Only times may differ between two reports of the same run.
func TestTimesAlone(t *testing.T) {
	a, b := pingackReport(t), pingackReport(t)
	b.Seconds = 77
	for name, f := range map[string]func(io.Writer, *document.Document) error{
		"terminal": render.Terminal, "markdown": render.Markdown, "html": render.HTML,
	} {
		x := bytes.ReplaceAll(printed(t, f, a), []byte("0.4s"), []byte("TIME"))
		y := bytes.ReplaceAll(printed(t, f, b), []byte("1m17s"), []byte("TIME"))
		if !bytes.Equal(x, y) {
			t.Errorf("%s: two reports differ in more than times", name)
		}
	}
}

// A report without a trace, as of a search that was killed, has no empty parts.
func TestUntraced(t *testing.T) {
	r := &report.Report{Settings: report.Settings{System: "kv", Nodes: 3}, Verdict: search.Violation, Kind: sim.Safety, Property: "one leader",
		Message: "does not hold", Uncovered: "orders that were not drawn", Commands: report.Commands{Look: "macemc mdb suspect.path"}}
	if text := string(printed(t, render.Terminal, r)); strings.Contains(text, "\n\n\n") || !strings.Contains(text, "is violated\n\n  not covered:") {
		t.Errorf("got\n%s", text)
	}
}

// The commands of a search replay its finding and repeat the search.
func TestCommands(t *testing.T) {
	r := pingackReport(t)
	r.Commands = report.Commands{Look: "macemc mdb out/error.path", Replay: "macemc replay out/error.path", Search: "macemc search pingack --seed 1"}
	const want = `
  debug:        macemc mdb out/error.path
  replay:       macemc replay out/error.path
  search again: macemc search pingack --seed 1
`
	if text := string(printed(t, render.Terminal, r)); !strings.HasSuffix(text, want) {
		t.Errorf("got\n%s\nwant at the end\n%s", text, want)
	}
	for name, show := range map[string]func(io.Writer, *document.Document) error{"Markdown": render.Markdown, "HTML": render.HTML} {
		text := string(printed(t, show, r))
		for _, command := range []string{r.Commands.Look, r.Commands.Replay, r.Commands.Search} {
			if !strings.Contains(text, command) {
				t.Errorf("%s lacks %q", name, command)
			}
		}
	}
}

// Every report describes the limits of what a search observes of a system, even if it has a finding.
func TestUncovered(t *testing.T) {
	for _, v := range []search.Verdict{search.Violation, search.OK, search.Inconclusive} {
		r := report.Report{Settings: report.Settings{System: "bomb", Nodes: 1}, Verdict: v, Uncovered: "other schedules"}
		if v == search.Violation {
			r.Kind, r.Dead = sim.Safety, trace(t, bombs(), "action n0 light")
		}
		for name, format := range map[string]func(io.Writer, *document.Document) error{
			"text": render.Terminal, "HTML": render.HTML, "Markdown": render.Markdown, "JSON": render.JSON,
			"JUnit": render.JUnit,
		} {
			want := "other schedules"
			if name == "JUnit" {
				want = `<property name="not_covered" value="other schedules"></property>`
			}
			if !bytes.Contains(printed(t, format, &r), []byte(want)) {
				t.Errorf("%s, %s: nothing says what is not covered", v, name)
			}
		}
	}
}

// A message can contain anything; control characters are replaced. An inconclusive search is not green.
func TestTerminal_Quiet(t *testing.T) {
	bad := report.Report{Settings: report.Settings{System: "bomb"}, Verdict: search.Violation, Kind: sim.Panic,
		Message: "a\x1b[2Jb\x07 \u009bc\nd"}
	out := string(printed(t, render.Terminal, &bad))
	for _, r := range out {
		if unicode.IsControl(r) && r != '\n' {
			t.Fatalf("%q holds %q", out, r)
		}
	}
	if !strings.Contains(out, "a\ufffd[2Jb\ufffd") {
		t.Errorf("the message is not there:\n%s", out)
	}
	const green = "\x1b[1;32m"
	for verdict, want := range map[search.Verdict]bool{search.OK: true, search.Inconclusive: false, search.OutOfResource: false} {
		r := report.Report{Settings: report.Settings{System: "bomb"}, Verdict: verdict}
		out := string(printedWith(t, render.Terminal, &r, nil, document.Style{Color: true}))
		if strings.Contains(out, green) != want {
			t.Errorf("%s is green: %t\n%q", verdict, !want, out)
		}
	}
}

func TestColor(t *testing.T) {
	r := pingackReport(t)
	colored, plain := printedWith(t, render.Terminal, r, nil, document.Style{Color: true}), printed(t, render.Terminal, r)
	stripped := regexp.MustCompile("\x1b\\[[0-9;]*m").ReplaceAllString(string(colored), "")
	if bytes.ContainsRune(plain, '\x1b') || stripped != string(plain) || stripped == string(colored) {
		t.Error("colours are there when they should not be, or the text differs")
	}
}

// Mermaid's own parser accepts the diagrams of a report.
func TestMermaidOfReport(t *testing.T) {
	blocks := regexp.MustCompile("(?s)```mermaid\n(.*?)```").FindAllSubmatch(printed(t, render.Markdown, pingackReport(t)), -1)
	if len(blocks) != 2 {
		t.Fatalf("%d diagrams, want one of each run", len(blocks))
	}
	mermaid.Check(t, map[string]string{"dead": string(blocks[0][1]), "live": string(blocks[1][1])})
}
