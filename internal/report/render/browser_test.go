//go:build browser

package render_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/test/chromium"
	"github.com/macemc/macemc/sim"
)

// address writes a page to disk and returns its address.
func address(t *testing.T, page []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	return "file://" + file
}

// browser opens a page without problems.
func browser(t *testing.T, page []byte) context.Context {
	t.Helper()
	return chromium.OpenClean(t, address(t, page))
}

// The tests below would detect a page with problems.
func TestBrowserNotices(t *testing.T) {
	ctx, complaints := chromium.Open(t, address(t, []byte(`<body><script>console.error("bad"); setTimeout(() => document.title = "late", 1);
		new Image().src = "http://127.0.0.1:1/x.png"; nothing()</script>`)))
	for range 50 {
		if strings.Contains(chromium.Eval(t, ctx, "document.title"), "late") {
			break
		}
	}
	chromium.Expect(t, "complaints", strings.Join(complaints(), "\n"), "console.error", "throws Uncaught", "loads http://127.0.0.1:1/x.png")
}

// A report is opened from disk and stepped through.
func TestBrowser(t *testing.T) {
	r := pingackReport(t)
	r.PathText, r.LivePathText = "macemc path 1\nsystem pingack\n", "macemc path 1\n"
	ctx := browser(t, printed(t, render.HTML, r))
	press := func(key string) { t.Helper(); chromium.Do(t, ctx, chromedp.KeyEvent(key)) }

	chromium.Expect(t, "first screen", chromium.Text(t, ctx, ".report"), "LIVENESS VIOLATION with 2 nodes, loss 1 of 1 used", `"every ping is acknowledged" cannot become true after step 6`)
	chromium.Expect(t, "summary", chromium.Text(t, ctx, ".brief"), "network loses Ack{2} n1->n0",
		"0 of 200 random continuations recovered", "n0.Acked 1 (since step 3) | 2", "if m := msg.(Ping); m.Seq > q.Seen {")
	// The critical step is drawn on the first screen, the summary and the states are beside it.
	if seen := chromium.Eval(t, ctx,
		`(() => { const row = document.querySelector('.run[data-run="0"] .step[data-step="6"] .hit').getBoundingClientRect(),
		brief = document.querySelector(".brief").getBoundingClientRect(), graph = document.querySelector(".run .scroll").getBoundingClientRect();
		return row.bottom < innerHeight && row.top > 0 && brief.left >= graph.right && brief.bottom < innerHeight })()`); seen != "true" {
		t.Error("the first screen does not show the critical step with the summary beside it")
	}
	chromium.Expect(t, "folded", chromium.Eval(t, ctx, `document.getElementById("more").open`), "false")
	chromium.Eval(t, ctx, `document.getElementById("more").open = true`)
	chromium.Expect(t, "unfolded", chromium.Text(t, ctx, "#more"), "loss 1 of 1 used", "n1 Ping{2}", "changes nothing", "go test -run 'TestPingAck$'")
	chromium.Eval(t, ctx, `document.getElementById("more").open = false`)
	chromium.Expect(t, "start", chromium.Text(t, ctx, "#at"), "step 6 of 26")
	chromium.Expect(t, "start", chromium.Text(t, ctx, "#step"), "Step 6, error run", "the critical step", "not live")
	// The live run stands at its own step 6, where the acknowledgement arrives.
	chromium.Expect(t, "difference", chromium.Text(t, ctx, "#difference"), "error run after step 6, live run after step 6", "n0.Acked\t1\t2")
	chromium.Screenshot(t, ctx, "start-light")

	press("k")
	chromium.Expect(t, "k", chromium.Text(t, ctx, "#at"), "step 5 of 26")
	chromium.Expect(t, "k", chromium.Text(t, ctx, "#states"), "Seen\t1 2") // struck out, and the new value
	chromium.Expect(t, "k", chromium.Text(t, ctx, "#difference"), "The two runs are in the same node states")
	press("f")
	chromium.Expect(t, "f", chromium.Text(t, ctx, "#states"), "n0 pinger\n\n4 fields, as before", "Seen\t1 2")
	press("f")
	press("j")
	press("j")
	chromium.Expect(t, "j", chromium.Text(t, ctx, "#at"), "step 7 of 26")
	chromium.Expect(t, "j", chromium.Text(t, ctx, "#step"), "n0 timer resend", "pingack.go:27", "send Ping{2} to n1")
	chromium.Expect(t, "j", chromium.Eval(t, ctx, `document.querySelector('.run[data-run="0"] .step.sel').dataset.step`), "7")
	press("N")
	chromium.Expect(t, "next of the node", chromium.Text(t, ctx, "#at"), "step 9 of 26")
	press(kb.End)
	chromium.Expect(t, "End", chromium.Text(t, ctx, "#at"), "step 26 of 26")
	chromium.Expect(t, "End", chromium.Eval(t, ctx, `document.querySelector(".run.active .scroll").scrollTop > 0`), "true")
	press(kb.Home)
	chromium.Expect(t, "Home", chromium.Text(t, ctx, "#at"), "step 0 of 26")
	press("c")
	chromium.Expect(t, "c", chromium.Text(t, ctx, "#at"), "step 6 of 26")

	press("/")
	chromium.Expect(t, "/", chromium.Eval(t, ctx, "document.activeElement.id"), "search")
	// The protocol types the character although its key was handled, unlike a keyboard.
	chromium.Eval(t, ctx, `document.activeElement.value = ""`)
	chromium.Do(t, ctx, chromedp.SendKeys(chromedp.CSS("#search"), "Ack{1}"))
	chromium.Expect(t, "search", chromium.Text(t, ctx, "#found"), "2 matches") // sent in 2, received in 3
	press("\r")
	chromium.Expect(t, "search", chromium.Text(t, ctx, "#at"), "step 2 of 26")
	press("\r")
	chromium.Expect(t, "search again", chromium.Text(t, ctx, "#at"), "step 3 of 26")
	chromium.Expect(t, "matches", chromium.Eval(t, ctx, `document.querySelectorAll('.run[data-run="0"] .step.match').length`), "2")
	press("\x1b")
	chromium.Expect(t, "escape", chromium.Eval(t, ctx, `document.querySelectorAll(".step.match").length`), "0")

	press("c")
	press("l")
	chromium.Expect(t, "l", chromium.Text(t, ctx, "#step"), "Step 6, live run", "The state after it is live.",
		"holds again: every ping is acknowledged")
	chromium.Eval(t, ctx, `document.querySelector('.run[data-run="0"] .step[data-step="8"]').dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
	chromium.Expect(t, "click", chromium.Text(t, ctx, "#at"), "step 8 of 26")
	press("w")
	// Causes of step 8: 7 sent the message, 5 preceded it on n1; not the loss of step 6.
	chromium.Expect(t, "w", chromium.Eval(t, ctx,
		`[6, 7, 5].map(n => document.querySelector('.run[data-run="0"] .step[data-step="' + n + '"]').classList.contains("apart"))`),
		"true,false,false")
	press("w")

	chromium.Expect(t, "path",
		chromium.Eval(t, ctx, `atob(document.querySelector('a[download="error.path"]').href.split(",")[1])`), "macemc path 1\nsystem pingack\n")
	press("t")
	chromium.Expect(t, "t", chromium.Eval(t, ctx, "document.documentElement.dataset.theme"), "dark")
	chromium.Expect(t, "t", chromium.Eval(t, ctx, `getComputedStyle(document.body).backgroundColor`), "rgb(21, 24, 28)")
	chromium.Screenshot(t, ctx, "step-dark")
}

// On a narrow screen the page is no wider than the screen, everything folded can be unfolded, and no text has one
// letter per line.
func TestBrowserNarrow(t *testing.T) {
	ctx := browser(t, printed(t, render.HTML, pingackReport(t)))
	chromium.Do(t, ctx, chromedp.EmulateViewport(400, 800))
	chromium.Eval(t, ctx, `document.querySelectorAll("details").forEach(d => d.open = true)`)
	chromium.Expect(t, "width", chromium.Eval(t, ctx, `document.documentElement.scrollWidth <= 400`), "true")
	const clipped = `[...document.querySelectorAll(".report *, .bar *, .detail *")].filter(e => { const r = e.getBoundingClientRect();
		return r.width > 0 && (r.right > 400.5 || r.left < 0) }).map(e => e.tagName + " " + e.textContent.slice(0, 40)).join("; ")`
	if out := chromium.Eval(t, ctx, clipped); out != "" {
		t.Errorf("beyond the edge: %s", out)
	}
	const tall = `[...document.querySelectorAll("td, dd, dt, p, h1, h2, h3, label, button, pre")].filter(e => { const r = e.getBoundingClientRect();
		return e.textContent.length > 4 && r.width > 0 && r.width < 30 }).map(e => e.textContent).join("; ")`
	if out := chromium.Eval(t, ctx, tall); out != "" {
		t.Errorf("one letter per line: %s", out)
	}
	chromium.Screenshot(t, ctx, "narrow")
}

// A page of runs of 5,000 steps takes less than a second of processor time to open.
func TestBrowserLong(t *testing.T) {
	for name, r := range map[string]*report.Report{"few fields": longReport(t), "many fields": wideReport(t, 5000)} {
		page := printed(t, render.HTML, r)
		ctx := browser(t, page)
		chromium.Expect(t, "step", chromium.Text(t, ctx, "#at"), fmt.Sprintf("step %d of ", r.Critical.Step))
		took := chromium.LoadTime(t, ctx)
		if t.Logf("%s: %d kB, %v", name, len(page)>>10, took); took > time.Second {
			t.Errorf("%s: the page takes %v", name, took)
		}
		if name == "few fields" {
			chromium.Do(t, ctx, chromedp.KeyEvent(kb.Home))
			chromium.Expect(t, "Home", chromium.Text(t, ctx, "#states"), "Sent\t0 1")
		}
	}
}

// The chosen step is part of the address, and a link with a step opens there.
func TestBrowserAddress(t *testing.T) {
	ctx := browser(t, printed(t, render.HTML, pingackReport(t)))
	chromium.Expect(t, "start", chromium.Eval(t, ctx, "location.hash"), "#step=6")
	chromium.Do(t, ctx, chromedp.KeyEvent(kb.Home))
	chromium.Expect(t, "Home", chromium.Eval(t, ctx, "location.hash"), "#step=0")
	chromium.Eval(t, ctx, `location.hash = "#step=17"`)
	for range 50 {
		if strings.Contains(chromium.Text(t, ctx, "#at"), "step 17") {
			break
		}
	}
	chromium.Expect(t, "link", chromium.Text(t, ctx, "#at"), "step 17 of 26")
	chromium.Do(t, ctx, chromedp.Reload())
	chromium.Expect(t, "reload", chromium.Text(t, ctx, "#at"), "step 17 of 26")
	chromium.Do(t, ctx, chromedp.KeyEvent("?"))
	chromium.Expect(t, "?", chromium.Eval(t, ctx, `document.getElementById("keys").hidden`), "false")
	chromium.Do(t, ctx, chromedp.KeyEvent(kb.Escape))
	chromium.Expect(t, "Escape", chromium.Eval(t, ctx, `document.getElementById("keys").hidden`), "true")
	chromium.Expect(t, "legend", chromium.Text(t, ctx, "#legend"), "message handled", "lost", "timer set", "critical step")
	if out := chromium.Text(t, ctx, "#legend"); strings.Contains(out, "node down") {
		t.Errorf("the legend explains what the run does not have: %s", out)
	}
}

// Both runs are at corresponding steps, long values are cut around their difference, and fields that never change are
// omitted.
func TestBrowserComparison(t *testing.T) {
	r := alignedReport(t)
	const same = `{"Token":1,"Holder":2,"Waiting":[3,4,5],"Epoch":7,"Members":[0,1,2,3],`
	for i, run := range []*replay.Trace{r.Dead, r.Live} {
		run.Boot.Changes = append(run.Boot.Changes, replay.NodeChange{Node: 1, Path: "Name", New: "ponger"},
			replay.NodeChange{Node: 1, Path: "Map", New: same + []string{`"Free":false}`, `"Free":true}`}[i]})
	}
	ctx := browser(t, printed(t, render.HTML, r))
	chromium.Expect(t, "difference", chromium.Text(t, ctx, "#difference"),
		"error run after step 6, live run after step 8, the matching step", "n0.Acked\t1\t2",
		`"Free":false}`+"\t…")
	chromium.Expect(t, "together", chromium.Eval(t, ctx, `document.querySelector('.run[data-run="1"] .step.sel').dataset.step`), "8")
	if states := chromium.Text(t, ctx, "#states"); strings.Contains(states, "Name") || !strings.Contains(states, "1 field never changes") {
		t.Errorf("a constant is shown:\n%s", states)
	}
	chromium.Eval(t, ctx, `document.getElementById("constants").click()`)
	chromium.Expect(t, "constants", chromium.Text(t, ctx, "#states"), "Name\tponger")
	chromium.Do(t, ctx, chromedp.KeyEvent("jjjm")) // the live run resends once
	chromium.Expect(t, "no match", chromium.Text(t, ctx, "#found"), "the other run has no such event")
	chromium.Expect(t, "no match", chromium.Text(t, ctx, "#difference"), "as the live run has no matching step")
}

// The colors follow the preference of the reader's system.
func TestBrowserDark(t *testing.T) {
	ctx := browser(t, printed(t, render.HTML, pingackReport(t)))
	dark := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, dark); err != nil {
		t.Fatal(err)
	}
	chromium.Expect(t, "dark", chromium.Eval(t, ctx, `getComputedStyle(document.body).backgroundColor`), "rgb(21, 24, 28)")
	chromium.Expect(t, "dark", chromium.Eval(t, ctx, `getComputedStyle(document.querySelector(".eventgraph .lane")).stroke`),
		"rgb(69, 76, 84)")
	chromium.Screenshot(t, ctx, "start-dark")
}

// Reports without a live run or without any run cause no problems.
func TestBrowserOtherReports(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a browser")
	}
	dead := trace(t, bombs(), "action n0 light", "action n0 light")
	f := dead.Finding
	panics := &report.Report{Settings: report.Settings{System: "bomb", Nodes: 1}, Verdict: "violation", Kind: f.Kind,
		Message: f.Message, Stack: f.Stack, Dead: dead}
	ctx := browser(t, printed(t, render.HTML, panics))
	chromium.Expect(t, "panic", chromium.Text(t, ctx, ".report"), "Panic in step 2, at n0")
	chromium.Expect(t, "panic", chromium.Text(t, ctx, ".brief"), "render_test.explode")
	chromium.Expect(t, "panic", chromium.Text(t, ctx, "#at"), "step 2 of 2")
	chromium.Do(t, ctx, chromedp.KeyEvent("k"), chromedp.KeyEvent("l"), chromedp.KeyEvent("m"), chromedp.KeyEvent("c"))
	chromium.Expect(t, "panic", chromium.Text(t, ctx, "#step"), "n0 light")
	chromium.Screenshot(t, ctx, "panic")

	var graph bytes.Buffer
	if err := eventgraph.Build(pingackReport(t).Dead).HTML(&graph, eventgraph.Options{From: 4, Fold: 4}); err != nil {
		t.Fatal(err)
	}
	ctx = browser(t, graph.Bytes())
	chromium.Expect(t, "graph", chromium.Text(t, ctx, "#at"), "step 4 of 6") // the rest is folded
	chromium.Do(t, ctx, chromedp.KeyEvent("j"))
	chromium.Expect(t, "graph", chromium.Text(t, ctx, "#states"), "Seen\t1 2")

	ctx = browser(t, printed(t, render.HTML, nothingFound()))
	chromium.Expect(t, "nothing", chromium.Text(t, ctx, "h1"), "nothing found")
}

// The line of folded ticks expands them, and the box folds them again.
func TestBrowser_Ticks(t *testing.T) {
	ctx := browser(t, printed(t, render.HTML, tickingReport(t)))
	at := func(what, want string) {
		t.Helper()
		chromium.Expect(t, what, chromium.Text(t, ctx, "#at"), want)
	}
	press := func(key string) { t.Helper(); chromium.Do(t, ctx, chromedp.KeyEvent(key)) }
	chromium.Expect(t, "folded", chromium.Text(t, ctx, ".run"), "steps 1-19, n0: 9.5 s pass, 19 ticks, Ticks 0->19")
	press(kb.Home)
	press("j")
	at("after the fold", "step 20 of 71")
	chromium.Expect(t, "states", chromium.Text(t, ctx, "#states"), "Ticks\t19 20")
	chromium.Eval(t, ctx, `document.querySelector(".ticks").dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
	at("expanded", "step 20 of 71")
	press("k")
	at("in the fold", "step 19 of 71")
	chromium.Expect(t, "selected", chromium.Eval(t, ctx, `[...document.querySelectorAll(".sel.step")].map((g) => g.dataset.step).join()`), "19")
	chromium.Do(t, ctx, chromedp.Click("#ticks"))
	at("folded again", "step 0 of 71")
}

// The page of a test begins with the goroutines of the finding, and folds those that have ended.
func TestBrowserGoroutines(t *testing.T) {
	trace := &replay.Trace{System: "TestLock", Goroutines: true, Nodes: 4, Names: []string{"TestLock", "ends", "ends", "locks"},
		Boot: replay.TraceStep{Node: -1, Peer: -1}}
	for node, status := range []string{"waits", "ended", "ended", "runs"} {
		trace.Steps = append(trace.Steps, replay.TraceStep{Number: node + 1, Node: node, Peer: -1, What: "locks `mu`",
			Event:   netmodel.Event{Kind: eventkind.DoAction, Node: sim.NodeID(node), Peer: -1},
			Changes: []replay.NodeChange{{Node: node, Path: "status", New: status}}})
	}
	e := render.Exploration{Title: "TestLock", Sentence: "DEADLOCK", Run: eventgraph.Build(trace), Start: 4, Order: []int{3, 0, 1, 2}, Ended: "ended"}
	passing := *trace
	passing.Nodes, passing.Names = 5, append(passing.Names, "late")
	e.Passing = eventgraph.Build(&passing)
	var page bytes.Buffer
	if err := e.HTML(&page); err != nil {
		t.Fatal(err)
	}
	ctx := browser(t, page.Bytes())
	texts := func(selector string) string {
		t.Helper()
		return chromium.Eval(t, ctx, fmt.Sprintf(`[...document.querySelectorAll(%q)].map(e => e.textContent).join(", ")`, selector))
	}
	for _, width := range []int64{1400, 800} {
		chromium.Do(t, ctx, chromedp.EmulateViewport(width, 900))
		for selector, want := range map[string]string{
			`.run[data-run="0"] .names text`: "g4 locks, g1 TestLock, g2 ends, g3 ends",
			`.run[data-run="1"] .names text`: "g4 locks, g1 TestLock, g2 ends, g3 ends, g5 late",
			"#states > .node h3":             "g4 locks, g1 TestLock",
			"#states .ended summary":         "2 goroutines have ended: g2 g3",
			"#states .ended h3":              "g2 ends, g3 ends",
		} {
			if got := texts(selector); got != want {
				t.Errorf("%d pixels: %s are %q, want %q", width, selector, got, want)
			}
		}
		if bad := chromium.Eval(t, ctx, chromium.Audit); bad != "" {
			t.Errorf("%d pixels:\n%s", width, bad)
		}
		chromium.Screenshot(t, ctx, fmt.Sprintf("goroutines-%d", width))
	}
}

// The source around the place of each step is beside its graph, with that line marked. It does not widen the page.
func TestBrowserSource(t *testing.T) {
	ctx := browser(t, printed(t, render.HTML, pingackReport(t)))
	for _, width := range []int64{1400, 800} {
		chromium.Do(t, ctx, chromedp.EmulateViewport(width, 900))
		press := func(key string) { t.Helper(); chromium.Do(t, ctx, chromedp.KeyEvent(key)) }
		press("c")
		press("j")
		chromium.Expect(t, "source of step 7", chromium.Text(t, ctx, "#step .code"), "24  func (p *Pinger) Ping", "28      env.Send(1, Ping{p.Sent})")
		chromium.Expect(t, "marked line", chromium.Text(t, ctx, "#step mark"), "27  func (p *Pinger) Timer(env sim.Env, _ any) {")
		const bounds = `(() => { const code = document.querySelector("#step .code").getBoundingClientRect();
			return document.documentElement.scrollWidth <= innerWidth && code.top > 0 && code.bottom < innerHeight })()`
		if chromium.Eval(t, ctx, bounds) != "true" {
			t.Errorf("%d pixels: the source is outside of the window, or widens the page", width)
		}
		if bad := chromium.Eval(t, ctx, chromium.Audit); bad != "" {
			t.Errorf("%d pixels:\n%s", width, bad)
		}
		chromium.Screenshot(t, ctx, fmt.Sprintf("source-%d", width))
		press("j")
		chromium.Expect(t, "marked line of step 8", chromium.Text(t, ctx, "#step mark"), "48      if m := msg.(Ping); m.Seq > q.Seen {")
		press("c")
		chromium.Expect(t, "the summary is first", chromium.Eval(t, ctx, `document.querySelector(".brief").getBoundingClientRect().top <
			document.getElementById("step").getBoundingClientRect().top`), "true")
	}
}
