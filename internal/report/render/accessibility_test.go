//go:build browser

package render_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/macemc/macemc/internal/report/render"
)

// audit lists accessibility defects: controls without names, text of low contrast, skipped levels of headings.
const audit = `(() => {
	const bad = [], shown = e => e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";
	const rgb = c => (c.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
	const light = c => { const f = c.slice(0, 3).map(v => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4 });
		return .2126 * f[0] + .7152 * f[1] + .0722 * f[2] };
	const ground = e => { const layers = [];
		for (let n = e; n; n = n.parentElement) { const c = rgb(getComputedStyle(n).backgroundColor), a = c.length > 3 ? c[3] : 1; if (a > 0) layers.push([c, a]); if (a === 1) break; }
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
		if (ratio < (size >= 24 || size >= 18.6 && style.fontWeight >= 700 ? 3 : 4.5)) bad.push("contrast " + ratio.toFixed(2) + ": " + e.textContent.slice(0, 40)) });
	let level = 0;
	document.querySelectorAll("h1, h2, h3, h4, h5, h6").forEach(e => { const n = Number(e.tagName[1]); if (n > level + 1) bad.push("heading skips a level: " + e.textContent); level = n });
	const ids = [...document.querySelectorAll("[id]")].map(e => e.id);
	ids.filter((id, i) => ids.indexOf(id) !== i).forEach(id => bad.push("two elements " + id));
	if (!document.documentElement.lang || !document.title) bad.push("no language or title");
	return [...new Set(bad)].join("\n") })()`

// The audit detects defects.
func TestBrowserAuditNotices(t *testing.T) {
	ctx, _ := open(t, []byte(`<body style="background:white"><h3 id="a" style="color:#999">pale</h3><button id="a"></button><svg><text stroke="#fff" fill="#eee" y="20">faint</text></svg>`))
	expect(t, "audit", eval(t, ctx, audit), "no name: <button", "contrast 2.85: pale", "contrast 1.16: faint", "heading skips a level", "two elements a", "no language or title")
}

// In both color schemes and at two widths an accessibility audit finds no defects, and Tab reaches every control
// visibly.
func TestBrowserAccessibility(t *testing.T) {
	ctx := browser(t, printed(t, render.HTML, pingackReport(t)))
	eval(t, ctx, `document.getElementById("more").open = true`)
	do(t, ctx, chromedp.KeyEvent("?"))
	for _, width := range []int64{1400, 800} {
		do(t, ctx, chromedp.EmulateViewport(width, 900))
		for _, theme := range []string{"light", "dark"} {
			eval(t, ctx, fmt.Sprintf("document.documentElement.dataset.theme = %q", theme))
			if bad := eval(t, ctx, audit); bad != "" {
				t.Errorf("%s, %d pixels:\n%s", theme, width, bad)
			}
			if out := eval(t, ctx, `document.documentElement.scrollWidth - innerWidth`); out != "0" {
				t.Errorf("%d pixels: the page is wider by %s", width, out)
			}
			screenshot(t, ctx, fmt.Sprintf("%s-%d", theme, width))
		}
	}
	want := eval(t, ctx, `[...document.querySelectorAll("button, input, a[href], summary, [tabindex='0']")].filter(e => e.getClientRects().length > 0).length`)
	eval(t, ctx, `(window.seen = new Set(), document.activeElement.blur())`)
	const look = `(() => { const e = document.activeElement; if (e === document.body) return "end";
		window.seen.add(e); return getComputedStyle(e).outlineStyle === "none" ? e.outerHTML.slice(0, 80) : "" })()`
	for range 60 {
		do(t, ctx, chromedp.KeyEvent(kb.Tab))
		seen := eval(t, ctx, look)
		if seen == "end" {
			break
		} else if seen != "" {
			t.Errorf("the focus is not visible at %s", seen)
		}
	}
	if got := eval(t, ctx, "window.seen.size"); got != want {
		t.Errorf("Tab reaches %s of %s controls", got, want)
	}
}
