package render_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/macemc/macemc/choose"
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
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
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

// The page is self-contained and, seen as XML, its elements are closed.
func TestPage(t *testing.T) {
	r := pingackReport(t)
	r.PathText = "macemc path 1\n"
	page := printed(t, render.HTML, r)
	outside := bytes.ReplaceAll(page, []byte(`href="data:text/plain;base64,`), nil)
	if bad := regexp.MustCompile(`(?i)(src|href)\s*=|@import|url\(|https?://[^w"]|//www\.[^w]`).Find(outside); bad != nil {
		t.Errorf("the page refers to something outside: %q", bad)
	}
	script := regexp.MustCompile(`(?s)<script.*?</script>`) // not markup
	d := xml.NewDecoder(bytes.NewReader(script.ReplaceAll(page, nil)))
	d.Strict = false
	d.AutoClose = []string{"meta", "br", "input"}
	d.Entity = xml.HTMLEntity
	depth := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	if depth != 0 {
		t.Errorf("%d elements are not closed", depth)
	}
}

func TestPanic(t *testing.T) {
	dead := trace(t, bombs(), "action n0 light", "action n0 light")
	f := dead.Finding
	if f == nil {
		t.Fatal("the bomb did not explode")
	}
	r := &report.Report{Settings: report.Settings{System: "bomb", Nodes: 1}, Verdict: search.Violation, Kind: f.Kind,
		Message: f.Message, Stack: f.Stack, Dead: dead}
	golden.Compare(t, "panic.txt", printed(t, render.Terminal, r))
	if js := string(printed(t, render.JSON, r)); !strings.Contains(js, "render_test.explode") || strings.Contains(js, "goroutine") {
		t.Errorf("the JSON does not hold the user's frames alone: %s", js)
	}
}

// A handler that overflows the stack kills its process, and only the process's last output is known.
func TestStackOverflow(t *testing.T) {
	words := "runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow\n\n" +
		"runtime stack:\nruntime.throw({0x1, 0x2})\n\t/go/src/runtime/panic.go:1 +0x4a\n\n" +
		"goroutine 1 gp=0xc0 [running]:\n" + strings.Repeat("example.com/deep.(*Node).dig(0xc1)\n\t/home/me/deep/node.go:7 +0x1f\n", 20) +
		"...additional frames elided...\n" +
		"example.com/deep.(*Node).Receive(0xc1)\n\t/home/me/deep/node.go:3 +0x1f\n" +
		"github.com/macemc/macemc/internal/kernel.(*machine).call(0xc2)\n\t/src/internal/kernel/execute.go:9 +0x2b\n\ngoroutine 2 [idle]:\nother.f()\n\t/x/f.go:1\n"
	r := &report.Report{Settings: report.Settings{System: "deep", Nodes: 1}, Verdict: search.Violation, Kind: sim.Divergence,
		Message: "the handler overflows the stack", Stack: words}
	got := string(printed(t, render.Terminal, r))
	if n := strings.Count(got, "deep/node.go:7 deep.(*Node).dig"); n != 12 || !strings.Contains(got, "... and 9 more") {
		t.Errorf("%d frames are shown, want 12 of 21:\n%s", n, got)
	}
	if strings.Contains(got, "/home") || strings.Contains(got, "0x") || strings.Contains(got, "other.f") {
		t.Errorf("the report tells of the machine:\n%s", got)
	}
}

func TestSafety(t *testing.T) {
	dead := trace(t, bombs(sim.Property{
		Name: "not lit", Always: sim.Each(func(_ sim.NodeID, b *bomb) bool { return b.Fuse == 0 }),
		Explain: func(*sim.View) string { return "n0 burns" },
	}), "action n0 light")
	f := dead.Finding
	r := &report.Report{Settings: report.Settings{System: "bomb", Nodes: 1}, Verdict: search.Violation, Kind: f.Kind,
		Property: f.Property, Message: f.Message, Dead: dead}
	golden.Compare(t, "safety.txt", printed(t, render.Terminal, r))
	page := string(printed(t, render.HTML, r))
	if want := "&#34;not lit&#34; is violated in step 1, at n0: n0 burns</h1>"; !strings.Contains(page, want) {
		t.Errorf("the page lacks %q", want)
	}
	if strings.Contains(page, "repeats forever") {
		t.Error("the page promises what repeats forever after a run that ends")
	}
}

func TestOtherKinds(t *testing.T) {
	lit := sim.Property{Name: "lit thrice", Eventually: sim.Each(func(_ sim.NodeID, b *bomb) bool { return b.Fuse == 3 })}
	dead := trace(t, bombs(lit), "action n0 light")
	base := report.Report{Settings: report.Settings{System: "bomb", Nodes: 1}, Verdict: search.Violation, Property: lit.Name, Dead: dead}

	stuck := base
	stuck.Kind = sim.Deadlock
	stuck.Critical = &report.Critical{Transition: critical.Transition{Case: critical.DeadFromStart,
		After: critical.Probe{Walks: 200, Limit: 2000}}}
	golden.Compare(t, "deadlock.txt", printed(t, render.Terminal, &stuck))

	late := base
	late.Kind = sim.Liveness
	late.Critical = &report.Critical{Transition: critical.Transition{Case: critical.TooLateToTell}, Limit: 8000}
	golden.Compare(t, "late.txt", printed(t, render.Terminal, &late))

	loop := base
	loop.Kind, loop.Message = sim.Divergence, "the handler made more choices in one step than the bound allows"
	golden.Compare(t, "divergence.txt", printed(t, render.Terminal, &loop))

	odd := base
	odd.Kind, odd.Message = sim.Nondeterminism, "step 1 leaves n0 in different states when repeated: Fuse is 1 or 2"
	golden.Compare(t, "nondeterminism.txt", printed(t, render.Terminal, &odd))

	odd.Difference = &stats.Difference{Collision: true}
	if text := string(printed(t, render.Terminal, &odd)); !strings.Contains(strings.Join(strings.Fields(text), " "), "nodes or runs); run macemc vet") {
		t.Errorf("no advice to run macemc vet:\n%s", text)
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

// Only reports of dead runs mention whether a state is live. It is irrelevant to other findings.
func TestPageSaysNotLive(t *testing.T) {
	step1 := critical.Transition{Step: 1}
	for _, critical := range []*report.Critical{nil, {Transition: step1}} {
		r := report.Report{Settings: report.Settings{System: "bomb", Nodes: 1}, Verdict: search.Violation, Kind: sim.Safety,
			Dead: trace(t, bombs(), "action n0 light"), Critical: critical}
		if page := printed(t, render.HTML, &r); bytes.Contains(page, []byte(`"unjudged":true`)) != (critical == nil) {
			t.Errorf("critical step %v: unjudged is wrong", critical)
		}
	}
}

// A message can contain anything; control characters are replaced. An inconclusive search is not green.
func TestTerminalIsQuiet(t *testing.T) {
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

func TestJUnit(t *testing.T) {
	props := []sim.Property{
		{Name: "not lit", Always: func(*sim.View) bool { return true }},
		{Name: "lit thrice", Eventually: func(*sim.View) bool { return true }},
		{Name: "burns", Sometimes: func(*sim.View) bool { return true }},
		{Name: "glows", Sometimes: func(*sim.View) bool { return true }},
	}
	junit := func(r *report.Report) []byte { return printedWith(t, render.JUnit, r, props, document.Style{}) }
	if text := string(junit(nothingFound())); !strings.Contains(text,
		`<property name="checked_in_a_sample" value="When has no side effects">`) {
		t.Errorf("nothing is said of samples in %s", text)
	}
	ok := report.Report{Settings: report.Settings{System: "bomb", Nodes: 1, Timing: "AnyOrder", Strategy: "deepening"}, Seed: 1,
		Verdict: search.OK, Work: search.Work{Seconds: 1.5}, Stopped: "time"}
	ok.Coverage.Sometimes = []stats.Sometimes{{Property: "burns", Runs: 3}, {Property: "glows"}}
	golden.Compare(t, "junit-ok.xml", junit(&ok))

	// Readers of counts also see the information in the exit status.
	full := ok
	full.Verdict, full.Stopped = search.OutOfResource, stats.StoppedMemory
	if text := string(junit(&full)); !strings.Contains(text, `errors="1"`) ||
		!strings.Contains(text, "ran out of resources, stopped at the memory limit") {
		t.Errorf("out of memory:\n%s", text)
	}

	lost := ok
	lost.Verdict, lost.Message = search.Inconclusive, "the process is gone"
	golden.Compare(t, "junit-inconclusive.xml", junit(&lost))

	// Without walks, a search of states claims nothing about liveness before it has visited all states.
	bounded := ok
	bounded.Coverage.Unchecked = "liveness properties, deadlocks"
	var suite struct {
		Skipped int `xml:"skipped,attr"`
		Cases   []struct {
			Name    string `xml:"name,attr"`
			Skipped *struct {
				Message string `xml:"message,attr"`
			} `xml:"skipped"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(junit(&bounded), &suite); err != nil {
		t.Fatal(err)
	}
	skipped := map[string]string{}
	for _, c := range suite.Cases {
		if c.Skipped != nil {
			skipped[c.Name] = c.Skipped.Message
		}
	}
	unchecked := "not checked: liveness properties, deadlocks"
	if want := map[string]string{"lit thrice": unchecked, "no deadlock": unchecked, "glows": "never held in any state that was searched"}; !maps.Equal(skipped, want) || suite.Skipped != 3 {
		t.Errorf("%d are skipped: %q, want %q", suite.Skipped, skipped, want)
	}

	// A monitor without a violation is a case, and an excluded check is skipped.
	chosen := ok
	chosen.Monitors, chosen.Coverage.NotChecked = []string{"monitor votes", "monitor terms"}, []string{"not lit", "lit thrice", "monitor terms", "dim", sim.AssertionProperty}
	suite.Cases = nil
	if err := xml.Unmarshal(junit(&chosen), &suite); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, c := range suite.Cases {
		if c.Skipped != nil && strings.Contains(c.Skipped.Message, "not checked") {
			lines = append(lines, c.Name+" skipped")
		} else if strings.HasPrefix(c.Name, "monitor") {
			lines = append(lines, c.Name)
		}
	}
	if got, want := strings.Join(lines, ", "), "not lit skipped, lit thrice skipped, dim skipped, monitor votes, monitor terms skipped, assertions hold skipped, no deadlock skipped"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if text := string(printed(t, render.Terminal, &chosen)); !strings.Contains(text,
		"not checked: not lit; lit thrice; monitor terms; dim; assertion") {
		t.Errorf("the text does not say what was left out:\n%s", text)
	}

	// kind and property -> the case that fails
	for _, c := range []struct {
		kind     sim.FindingKind
		property string
		failing  string
	}{
		{sim.Safety, "not lit", "not lit"}, {sim.Safety, sim.AssertionProperty, "assertions hold"}, {sim.Safety, "messages are values", "messages are values"},
		{sim.Liveness, "lit thrice", "lit thrice"}, {sim.Deadlock, "lit thrice", "no deadlock"}, {sim.Panic, "", "no panic"},
		{sim.Divergence, "", "handlers return"}, {sim.Nondeterminism, "", "handlers are deterministic"},
	} {
		bad := ok
		bad.Verdict, bad.Kind, bad.Property, bad.Message = search.Violation, c.kind, c.property, "a <b> \x1b"
		out := junit(&bad)
		if c.kind == sim.Safety && c.property == "not lit" {
			golden.Compare(t, "junit-safety.xml", out)
		}
		var x struct {
			Tests    int `xml:"tests,attr"`
			Failures int `xml:"failures,attr"`
			Errors   int `xml:"errors,attr"`
			Skipped  int `xml:"skipped,attr"`
			Suite    struct {
				Cases []struct {
					Name    string `xml:"name,attr"`
					Failure *struct {
						Type string `xml:"type,attr"`
						Text string `xml:",chardata"`
					} `xml:"failure"`
				} `xml:"testcase"`
			} `xml:"testsuite"`
		}
		if err := xml.Unmarshal(out, &x); err != nil {
			t.Fatal(err)
		}
		if x.Tests != len(x.Suite.Cases) || x.Failures != 1 || x.Errors != 0 || x.Skipped != x.Tests-1 {
			t.Errorf("%+v: %d tests, %d failures, %d errors, %d skipped", c, x.Tests, x.Failures, x.Errors, x.Skipped)
		}
		for _, tc := range x.Suite.Cases {
			if failed := tc.Failure != nil; failed != (tc.Name == c.failing) || failed && (tc.Failure.Type != string(c.kind) || !strings.Contains(tc.Failure.Text, "bomb: ")) {
				t.Errorf("%+v: case %q: %+v", c, tc.Name, tc.Failure)
			}
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

// wideReport returns a report of two random runs of a system with many fields.
func wideReport(t *testing.T, steps int) *report.Report {
	t.Helper()
	e := randtree.Entry()
	e.Limits = sim.Limits{sim.Crashes: 2, sim.NetErrors: 2}
	sys, err := e.New(spec.Config{Nodes: 5})
	if err != nil {
		t.Fatal(err)
	}
	long := func(seed uint64) *replay.Trace {
		w, err := kernel.NewWorld(&sys, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := replay.NewRun(w)
		rng := rand.New(rand.NewPCG(seed, 1))
		src := choose.SourceFunc(func(p choose.Point) int { return rng.IntN(p.Arity) })
		if err := r.Start(src); err != nil {
			t.Fatal(err)
		}
		for r.Steps() < steps {
			if err := r.Step(rng.IntN(len(w.Enabled())), src); err != nil {
				t.Fatal(err)
			}
		}
		tr, err := replay.Record(&sys, r.Path, kernel.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return tr
	}
	r := pingackReport(t)
	r.Dead, r.Live, r.PathText = long(1), long(2), strings.Repeat("0 deliver n1<-n0 Join{Source:0}\n", steps)
	r.LivePathText = r.PathText
	r.Steps, r.Critical.Step, r.Critical.LiveCommon = steps, steps*3/5, 0
	return r
}

// Two runs with many fields, of whatever length, make a page that can be attached to an issue.
func TestPageIsSmall(t *testing.T) {
	for _, steps := range []int{499, 500, 5000} {
		if testing.Short() && steps == 5000 {
			continue
		}
		page := printed(t, render.HTML, wideReport(t, steps))
		t.Logf("%d steps: %d kB", steps, len(page)>>10)
		if zipped := bytes.Contains(page, []byte(`download="error.path.gz" href="data:application/gzip;base64,`)); zipped != (steps == 5000) {
			t.Errorf("%d steps: error.path is compressed: %t", steps, zipped)
		}
		if len(page) > 1_000_000 {
			t.Errorf("%d steps: the page has %d bytes, want less than a million", steps, len(page))
		}
	}
}

// A nearest live run without a step of its own was live before the first different step.
func TestLiveBefore(t *testing.T) {
	r := pingackReport(t)
	r.Live = trace(t, &pingack.System, "action n0 ping", "deliver n1<-n0 Ping{Seq:1}", "deliver n0<-n1 Ack{Seq:1}")
	r.Critical.Step, r.Critical.LiveCommon = 4, 3
	const want = "nearest run that recovered: already live before step 4\n"
	for name, f := range map[string]func(io.Writer, *document.Document) error{"terminal": render.Terminal, "Markdown": render.Markdown} {
		if text := string(printed(t, f, r)); !strings.Contains(text, want) {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	if page := string(printed(t, render.HTML, r)); !strings.Contains(page, "The nearest run that recovered, equal through step 3 (3 steps)") {
		t.Error(page)
	}
}

// An action that could heal a dead run does not excuse it if the action is a disturbance. The report mentions it.
func TestDisturbingIsSaid(t *testing.T) {
	r := pingackReport(t)
	r.Disturbing = []string{"reconnect", "restart"}
	if text := string(printed(t, render.Terminal, r)); !strings.Contains(text, "  disturbances:   reconnect, restart") {
		t.Error(text)
	}
	r.Kind = sim.Deadlock
	if text := string(printed(t, render.Terminal, r)); !strings.Contains(text, "only disturbances are enabled") ||
		strings.Contains(text, "no event is enabled") {
		t.Error(text)
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

// A result based on walks only is called not proven everywhere, and a critical step after rare recoveries is doubted.
func TestNotProven(t *testing.T) {
	r := pingackReport(t)
	doubt := "recovery is rare, so the critical step may be a later one"
	for _, c := range []struct {
		proof     critical.Proof
		recovered int // of 200 walks before the critical step
		first     string
		doubted   bool
	}{
		{critical.Walks, 9, "not proven: 0 of 200 random continuations recovered after step 6, 9 of 200 before it, without further faults; up to 2,000 steps each", true},
		{critical.Walks, 10, "not proven: 0 of 200 random continuations recovered after step 6, 10 of 200 before it, without further faults; up to 2,000 steps each", false},
		{critical.Exact, 1, "proven: no live state among the 1 state that can follow", false},
	} {
		r.Critical.States, r.Critical.ProvenAt = 1, r.Critical.Step
		r.Critical.Proof, r.Critical.Before = c.proof, critical.Probe{Walks: 200, Recovered: c.recovered}
		page := string(printed(t, render.HTML, r))
		if !strings.Contains(page, "<dt>certainty</dt><dd>"+c.first) {
			t.Errorf("%s, %d: the first screen lacks %q", c.proof, c.recovered, c.first)
		}
		heading := "cannot become true after step 6</h1>"
		if c.proof == critical.Walks {
			heading = "did not become true after step 6 in any of 200 random continuations</h1>"
		}
		if !strings.Contains(page, heading) {
			t.Errorf("%s: the page has no heading %q", c.proof, heading)
		}
		if got := strings.Contains(string(printed(t, render.Terminal, r)), doubt); got != c.doubted {
			t.Errorf("%s, %d: doubted: %v", c.proof, c.recovered, got)
		}
	}
}
