//go:build browser

package render_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/macemc/macemc/eventgraph"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/render"
)

// open opens a page from disk in headless Chromium, or skips the test. said returns the page's console output, its
// exceptions, and its requests.
func open(t *testing.T, page []byte) (ctx context.Context, said func() []string) {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "google-chrome", "chromium-browser"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" || testing.Short() {
		t.Skip("no Chromium is installed: make check-browser")
	}
	file := filepath.Join(t.TempDir(), "report.html")
	if err := os.WriteFile(file, page, 0o644); err != nil {
		t.Fatal(err)
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	var (
		mu         sync.Mutex
		complaints []string
	)
	err := chromedp.Listen(ctx, func(ev any) {
		mu.Lock()
		defer mu.Unlock()
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			complaints = append(complaints, "throws "+ev.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			complaints = append(complaints, fmt.Sprintf("console.%s", ev.Type))
		case *log.EventEntryAdded:
			complaints = append(complaints, ev.Entry.Text)
		case *network.EventRequestWillBeSent:
			if url := ev.Request.URL; url != "file://"+file && !strings.HasPrefix(url, "data:") {
				complaints = append(complaints, "loads "+url)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	do(t, ctx, chromedp.EmulateViewport(1500, 1000), chromedp.Navigate("file://"+file))
	return ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(complaints)
	}
}

// browser is [open] for a page without problems.
func browser(t *testing.T, page []byte) context.Context {
	t.Helper()
	ctx, complaints := open(t, page)
	t.Cleanup(func() {
		for _, c := range complaints() {
			t.Errorf("the page: %s", c)
		}
	})
	return ctx
}

// The tests below would detect a page with problems.
func TestBrowserNotices(t *testing.T) {
	ctx, complaints := open(t, []byte(`<body><script>console.error("bad"); setTimeout(() => document.title = "late", 1);
		new Image().src = "http://127.0.0.1:1/x.png"; nothing()</script>`))
	for range 50 {
		if strings.Contains(eval(t, ctx, "document.title"), "late") {
			break
		}
	}
	expect(t, "complaints", strings.Join(complaints(), "\n"), "console.error", "throws Uncaught", "loads http://127.0.0.1:1/x.png")
}

func do(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// text returns the text of an element of the page.
func text(t *testing.T, ctx context.Context, selector string) string {
	t.Helper()
	return eval(t, ctx, fmt.Sprintf("document.querySelector(%s).innerText", strconv.Quote(selector)))
}

// eval returns the value of an expression as text.
func eval(t *testing.T, ctx context.Context, expression string) string {
	t.Helper()
	s, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func expect(t *testing.T, what, got string, wants ...string) {
	t.Helper()
	for _, w := range wants {
		if !strings.Contains(got, w) {
			t.Errorf("%s: %q is missing in\n%s", what, w, got)
		}
	}
}

// screenshot takes a picture for people and stores it in the folder named by MACEMC_SCREENSHOTS.
func screenshot(t *testing.T, ctx context.Context, name string) {
	t.Helper()
	dir := os.Getenv("MACEMC_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A report is opened from disk and stepped through.
func TestBrowser(t *testing.T) {
	r := pingackReport(t)
	r.PathText, r.LivePathText = "macemc path 1\nsystem pingack\n", "macemc path 1\n"
	ctx := browser(t, printed(t, render.HTML, r))
	press := func(key string) { t.Helper(); do(t, ctx, chromedp.KeyEvent(key)) }

	expect(t, "first screen", text(t, ctx, ".report"), `"every ping is acknowledged" can never hold again after step 6`)
	expect(t, "summary", text(t, ctx, ".brief"), "network loses Ack{2} n1->n0", "0 of 200 random continuations recovered", "n0.Acked 1 | 2", "if a := msg.(Ack); a.Seq == p.Sent {")
	// The critical step is drawn on the first screen, the summary and the states are beside it.
	if seen := eval(t, ctx, `(() => { const row = document.querySelector('.run[data-run="0"] .step[data-step="6"] .hit').getBoundingClientRect(),
		brief = document.querySelector(".brief").getBoundingClientRect(), graph = document.querySelector(".run .scroll").getBoundingClientRect();
		return row.bottom < innerHeight && row.top > 0 && brief.left >= graph.right && brief.bottom < innerHeight })()`); seen != "true" {
		t.Error("the first screen does not show the critical step with the summary beside it")
	}
	expect(t, "folded", eval(t, ctx, `document.getElementById("more").open`), "false")
	eval(t, ctx, `document.getElementById("more").open = true`)
	expect(t, "unfolded", text(t, ctx, "#more"), "loss<=1", "n1 Ping{2}", "changes nothing", "go test -run 'TestPingAck$'")
	eval(t, ctx, `document.getElementById("more").open = false`)
	expect(t, "start", text(t, ctx, "#at"), "step 6 of 26")
	expect(t, "start", text(t, ctx, "#step"), "Step 6, error run", "the critical step", "not live")
	// The live run stands at its own step 6, where the acknowledgement arrives.
	expect(t, "difference", text(t, ctx, "#difference"), "error run after step 6, live run after step 6", "n0.Acked\t1\t2")
	screenshot(t, ctx, "start-light")

	press("k")
	expect(t, "k", text(t, ctx, "#at"), "step 5 of 26")
	expect(t, "k", text(t, ctx, "#states"), "Seen\t1 2") // struck out, and the new value
	expect(t, "k", text(t, ctx, "#difference"), "The two runs are in the same node states")
	press("f")
	expect(t, "f", text(t, ctx, "#states"), "n0 pinger\n\n4 fields, as before", "Seen\t1 2")
	press("f")
	press("j")
	press("j")
	expect(t, "j", text(t, ctx, "#at"), "step 7 of 26")
	expect(t, "j", text(t, ctx, "#step"), "n0 timer resend", "pingack.go:27", "send Ping{2} to n1")
	expect(t, "j", eval(t, ctx, `document.querySelector('.run[data-run="0"] .step.sel').dataset.step`), "7")
	press("N")
	expect(t, "next of the node", text(t, ctx, "#at"), "step 9 of 26")
	press(kb.End)
	expect(t, "End", text(t, ctx, "#at"), "step 26 of 26")
	expect(t, "End", eval(t, ctx, `document.querySelector(".run.active .scroll").scrollTop > 0`), "true")
	press(kb.Home)
	expect(t, "Home", text(t, ctx, "#at"), "step 0 of 26")
	press("c")
	expect(t, "c", text(t, ctx, "#at"), "step 6 of 26")

	press("/")
	expect(t, "/", eval(t, ctx, "document.activeElement.id"), "search")
	// The protocol types the character although its key was handled, unlike a keyboard.
	eval(t, ctx, `document.activeElement.value = ""`)
	do(t, ctx, chromedp.SendKeys(chromedp.CSS("#search"), "Ack{1}"))
	expect(t, "search", text(t, ctx, "#found"), "2 matches") // sent in 2, received in 3
	press("\r")
	expect(t, "search", text(t, ctx, "#at"), "step 2 of 26")
	press("\r")
	expect(t, "search again", text(t, ctx, "#at"), "step 3 of 26")
	expect(t, "matches", eval(t, ctx, `document.querySelectorAll('.run[data-run="0"] .step.match').length`), "2")
	press("\x1b")
	expect(t, "escape", eval(t, ctx, `document.querySelectorAll(".step.match").length`), "0")

	press("c")
	press("l")
	expect(t, "l", text(t, ctx, "#step"), "Step 6, live run", "The state after it is live.", "holds again: every ping is acknowledged")
	eval(t, ctx, `document.querySelector('.run[data-run="0"] .step[data-step="8"]').dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
	expect(t, "click", text(t, ctx, "#at"), "step 8 of 26")
	press("w")
	// Causes of step 8: 7 sent the message, 5 preceded it on n1; not the loss of step 6.
	expect(t, "w", eval(t, ctx, `[6, 7, 5].map(n => document.querySelector('.run[data-run="0"] .step[data-step="' + n + '"]').classList.contains("apart"))`), "true,false,false")
	press("w")

	expect(t, "path", eval(t, ctx, `atob(document.querySelector('a[download="error.path"]').href.split(",")[1])`), "macemc path 1\nsystem pingack\n")
	press("t")
	expect(t, "t", eval(t, ctx, "document.documentElement.dataset.theme"), "dark")
	expect(t, "t", eval(t, ctx, `getComputedStyle(document.body).backgroundColor`), "rgb(21, 24, 28)")
	screenshot(t, ctx, "step-dark")
}

// On a narrow screen the page is no wider than the screen, everything folded can be unfolded, and no text has one
// letter per line.
func TestBrowserNarrow(t *testing.T) {
	ctx := browser(t, printed(t, render.HTML, pingackReport(t)))
	do(t, ctx, chromedp.EmulateViewport(400, 800))
	eval(t, ctx, `document.getElementById("more").open = true`)
	expect(t, "width", eval(t, ctx, `document.documentElement.scrollWidth <= 400`), "true")
	const clipped = `[...document.querySelectorAll(".report *, .bar *, .detail *")].filter(e => { const r = e.getBoundingClientRect();
		return r.width > 0 && (r.right > 400.5 || r.left < 0) }).map(e => e.tagName + " " + e.textContent.slice(0, 40)).join("; ")`
	if out := eval(t, ctx, clipped); out != "" {
		t.Errorf("beyond the edge: %s", out)
	}
	const tall = `[...document.querySelectorAll("td, dd, dt, p, h1, h2, h3, label, button, pre")].filter(e => { const r = e.getBoundingClientRect();
		return e.textContent.length > 4 && r.width > 0 && r.width < 30 }).map(e => e.textContent).join("; ")`
	if out := eval(t, ctx, tall); out != "" {
		t.Errorf("one letter per line: %s", out)
	}
	screenshot(t, ctx, "narrow")
}

// The page of a run of 5,000 steps is ready soon. The limit leaves room for busy machines.
func TestBrowserLong(t *testing.T) {
	ctx := browser(t, printed(t, render.HTML, longReport(t)))
	expect(t, "step", text(t, ctx, "#at"), "step 4986 of 5000")
	ready, err := strconv.ParseFloat(eval(t, ctx, `performance.getEntriesByType("navigation")[0].domComplete`), 64)
	if t.Logf("ready after %.0f ms", ready); err != nil || ready > 4000 {
		t.Errorf("ready after %.0f ms: %v", ready, err)
	}
	do(t, ctx, chromedp.KeyEvent(kb.Home))
	expect(t, "Home", text(t, ctx, "#states"), "Sent\t0 1")
}

// The chosen step is part of the address, and a link with a step opens there.
func TestBrowserAddress(t *testing.T) {
	ctx := browser(t, printed(t, render.HTML, pingackReport(t)))
	expect(t, "start", eval(t, ctx, "location.hash"), "#step=6")
	do(t, ctx, chromedp.KeyEvent(kb.Home))
	expect(t, "Home", eval(t, ctx, "location.hash"), "#step=0")
	eval(t, ctx, `location.hash = "#step=17"`)
	for range 50 {
		if strings.Contains(text(t, ctx, "#at"), "step 17") {
			break
		}
	}
	expect(t, "link", text(t, ctx, "#at"), "step 17 of 26")
	do(t, ctx, chromedp.Reload())
	expect(t, "reload", text(t, ctx, "#at"), "step 17 of 26")
	do(t, ctx, chromedp.KeyEvent("?"))
	expect(t, "?", eval(t, ctx, `document.getElementById("keys").hidden`), "false")
	do(t, ctx, chromedp.KeyEvent(kb.Escape))
	expect(t, "Escape", eval(t, ctx, `document.getElementById("keys").hidden`), "true")
	expect(t, "legend", text(t, ctx, "#legend"), "message handled", "lost", "timer set", "critical step")
	if out := text(t, ctx, "#legend"); strings.Contains(out, "node down") {
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
	expect(t, "difference", text(t, ctx, "#difference"), "error run after step 6, live run after step 8, the matching step", "n0.Acked\t1\t2",
		`"Free":false}`+"\t…")
	expect(t, "together", eval(t, ctx, `document.querySelector('.run[data-run="1"] .step.sel').dataset.step`), "8")
	if states := text(t, ctx, "#states"); strings.Contains(states, "Name") || !strings.Contains(states, "1 field never changes") {
		t.Errorf("a constant is shown:\n%s", states)
	}
	eval(t, ctx, `document.getElementById("constants").click()`)
	expect(t, "constants", text(t, ctx, "#states"), "Name\tponger")
	do(t, ctx, chromedp.KeyEvent("jjjm")) // the live run resends once
	expect(t, "no match", text(t, ctx, "#found"), "the other run has no such event")
	expect(t, "no match", text(t, ctx, "#difference"), "as the live run has no matching step")
}

// The colors follow the preference of the reader's system.
func TestBrowserDark(t *testing.T) {
	ctx := browser(t, printed(t, render.HTML, pingackReport(t)))
	dark := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}}
	if _, err := chromedp.Call(ctx, emulation.SetEmulatedMedia, dark); err != nil {
		t.Fatal(err)
	}
	expect(t, "dark", eval(t, ctx, `getComputedStyle(document.body).backgroundColor`), "rgb(21, 24, 28)")
	expect(t, "dark", eval(t, ctx, `getComputedStyle(document.querySelector(".eventgraph .lane")).stroke`), "rgb(69, 76, 84)")
	screenshot(t, ctx, "start-dark")
}

// Reports without a live run or without any run cause no problems.
func TestBrowserOtherReports(t *testing.T) {
	if testing.Short() {
		t.Skip("opens a browser")
	}
	dead := trace(t, bombs(), "action n0 light", "action n0 light")
	f := dead.Finding
	panics := &report.Report{System: "bomb", Nodes: 1, Verdict: "violation", Kind: f.Kind, Message: f.Message, Stack: f.Stack, Dead: dead}
	ctx := browser(t, printed(t, render.HTML, panics))
	expect(t, "panic", text(t, ctx, ".report"), "A handler panics in step 2, at n0")
	expect(t, "panic", text(t, ctx, ".brief"), "render_test.explode")
	expect(t, "panic", text(t, ctx, "#at"), "step 2 of 2")
	do(t, ctx, chromedp.KeyEvent("k"), chromedp.KeyEvent("l"), chromedp.KeyEvent("m"), chromedp.KeyEvent("c"))
	expect(t, "panic", text(t, ctx, "#step"), "n0 light")
	screenshot(t, ctx, "panic")

	var graph bytes.Buffer
	if err := eventgraph.Build(pingackReport(t).Dead).HTML(&graph, eventgraph.Options{From: 4, Fold: 4}); err != nil {
		t.Fatal(err)
	}
	ctx = browser(t, graph.Bytes())
	expect(t, "graph", text(t, ctx, "#at"), "step 4 of 6") // the rest is folded
	do(t, ctx, chromedp.KeyEvent("j"))
	expect(t, "graph", text(t, ctx, "#states"), "Seen\t1 2")

	ctx = browser(t, printed(t, render.HTML, nothingFound()))
	expect(t, "nothing", text(t, ctx, "h1"), "nothing found")
}
