//go:build browser

// Package chromium opens pages in headless Chromium, for tests.
package chromium

import (
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

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/performance"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Open opens a page, or skips the test. complaints returns the page's console output, its exceptions, and its requests for anything that
// is not below the address.
func Open(t *testing.T, address string) (ctx context.Context, complaints func() []string) {
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
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, opts...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	var (
		mu  sync.Mutex
		all []string
	)
	err := chromedp.Listen(ctx, func(ev any) {
		mu.Lock()
		defer mu.Unlock()
		switch ev := ev.(type) {
		case *runtime.EventExceptionThrown:
			all = append(all, "throws "+ev.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			all = append(all, fmt.Sprintf("console.%s", ev.Type))
		case *log.EventEntryAdded:
			all = append(all, ev.Entry.Text)
		case *network.EventRequestWillBeSent:
			if url := ev.Request.URL; !strings.HasPrefix(url, address) && !strings.HasPrefix(url, "data:") {
				all = append(all, "loads "+url)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	Do(t, ctx, chromedp.EmulateViewport(1500, 1000), chromedp.Navigate(address))
	return ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

// OpenClean is [Open] for a page without problems.
func OpenClean(t *testing.T, address string) context.Context {
	t.Helper()
	ctx, complaints := Open(t, address)
	t.Cleanup(func() {
		for _, c := range complaints() {
			t.Errorf("the page: %s", c)
		}
	})
	return ctx
}

// Do executes actions of the browser.
func Do(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// Text returns the text of an element of the page.
func Text(t *testing.T, ctx context.Context, selector string) string {
	t.Helper()
	return Eval(t, ctx, fmt.Sprintf("document.querySelector(%s).innerText", strconv.Quote(selector)))
}

// Eval returns the value of an expression as text.
func Eval(t *testing.T, ctx context.Context, expression string) string {
	t.Helper()
	s, err := chromedp.Run(ctx, chromedp.Evaluate[string]("String("+expression+")"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Expect fails the test for each text that got lacks.
func Expect(t *testing.T, what, got string, wants ...string) {
	t.Helper()
	for _, w := range wants {
		if !strings.Contains(got, w) {
			t.Errorf("%s: %q is missing in\n%s", what, w, got)
		}
	}
}

// LoadTime loads the page again, and returns the processor time that its thread takes for that. Unlike a time by the clock it does not
// depend on other programs.
func LoadTime(t *testing.T, ctx context.Context) time.Duration {
	t.Helper()
	seconds, err := chromedp.Run(ctx, func(ctx context.Context, tab *chromedp.Target) (float64, error) {
		if _, err := cdp.Call(ctx, tab, performance.Enable,
			performance.EnableParams{TimeDomain: performance.EnableTimeDomainThreadTicks}); err != nil {
			return 0, err
		}
		spent := func() (sum float64, err error) {
			r, err := cdp.Call(ctx, tab, performance.GetMetrics, cdp.Empty{})
			for _, m := range r.Metrics {
				if m.Name == "TaskDuration" {
					sum = m.Value
				}
			}
			return sum, err
		}
		before, err := spent()
		if err != nil {
			return 0, err
		}
		if _, err := chromedp.Reload()(ctx, tab); err != nil {
			return 0, err
		}
		after, err := spent()
		return after - before, err
	})
	if err != nil || seconds <= 0 {
		t.Fatalf("the page takes %f s: %v", seconds, err)
	}
	return time.Duration(seconds * float64(time.Second))
}

// Screenshot takes a picture for people and stores it in the folder named by MACEMC_SCREENSHOTS.
func Screenshot(t *testing.T, ctx context.Context, name string) {
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

// Audit lists accessibility defects: controls without names, text of low contrast, skipped levels of headings.
const Audit = `(() => {
	const bad = [], shown = e => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";
	const rgb = c => (c.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
	const light = c => { const f = c.slice(0, 3).map(v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 });
		return .2126 * f[0] + .7152 * f[1] + .0722 * f[2] };
	const ground = e => { const layers = [];
		for (let n = e; n; n = n.parentElement) {
			const c = rgb(getComputedStyle(n).backgroundColor), a = c.length > 3 ? c[3] : 1;
			if (a > 0) layers.push([c, a]);
			if (a === 1) break; }
		return layers.reverse().reduce((under, [c, a]) => under.map((v, i) => c[i] * a + v * (1 - a)), [255, 255, 255]) };
	const name = e => (e.getAttribute("aria-label") || e.textContent || [...(e.labels || [])].map(l => l.textContent).join(" ") || "").trim();
	document.querySelectorAll("button, input, a[href], summary, [tabindex], [role=region], svg[role=img]").forEach(e => {
		if (shown(e) && !name(e) && !e.closest("[aria-hidden]")) bad.push("no name: " + e.outerHTML.slice(0, 80)) });
	document.querySelectorAll("body *:not(script):not(style)").forEach(e => {
		if (!shown(e) || ![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) return;
		const style = getComputedStyle(e), svg = e instanceof SVGElement;
		if (svg && e.tagName !== "text" || e.closest(".apart")) return;
		const front = light(rgb(svg ? style.fill : style.color)), back = light(svg ? rgb(style.stroke) : ground(e)); // the halo of letters
		const ratio = (Math.max(front, back) + .05) / (Math.min(front, back) + .05), size = parseFloat(style.fontSize);
		if (ratio < (size >= 24 || size >= 18.6 && style.fontWeight >= 700 ? 3 : 4.5))
			bad.push("contrast " + ratio.toFixed(2) + ": " + e.textContent.slice(0, 40)) });
	let level = 0;
	document.querySelectorAll("h1, h2, h3, h4, h5, h6").forEach(e => {
		const n = Number(e.tagName[1]);
		if (n > level + 1) bad.push("heading skips a level: " + e.textContent);
		level = n });
	const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
	ids.filter((id, i) => ids.indexOf(id) !== i).forEach(id => bad.push("two elements " + id));
	if (!document.documentElement.lang || !document.title) bad.push("no language or title");
	return [...new Set(bad)].join("\n") })()`

// CheckTab checks that the Tab key reaches every visible control, and that the focus is visible there.
func CheckTab(t *testing.T, ctx context.Context) {
	t.Helper()
	want := Eval(t, ctx, `[...document.querySelectorAll("button, input, a[href], summary, [tabindex='0']")]
		.filter(e => e.getClientRects().length > 0).length`)
	Eval(t, ctx, `(window.seen = new Set(), document.activeElement.blur())`)
	const look = `(() => { const e = document.activeElement; if (e === document.body) return "end";
		window.seen.add(e); return getComputedStyle(e).outlineStyle === "none" ? e.outerHTML.slice(0, 80) : "" })()`
	for range 60 {
		Do(t, ctx, chromedp.KeyEvent(kb.Tab))
		seen := Eval(t, ctx, look)
		if seen == "end" {
			break
		} else if seen != "" {
			t.Errorf("the focus is not visible at %s", seen)
		}
	}
	if got := Eval(t, ctx, "window.seen.size"); got != want {
		t.Errorf("Tab reaches %s of %s controls", got, want)
	}
}
