//go:build browser

package render_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/test/chromium"
)

// The audit detects defects.
func TestBrowserAuditNotices(t *testing.T) {
	ctx, _ := chromium.Open(t,
		address(t, []byte(`<body style="background:white"><h3 id="a" style="color:#999">pale</h3><button id="a"></button><svg><text stroke="#fff" fill="#eee" y="20">faint</text></svg>`)))
	chromium.Expect(t, "audit", chromium.Eval(t, ctx, chromium.Audit), "no name: <button", "contrast 2.85: pale",
		"contrast 1.16: faint", "heading skips a level", "two elements a", "no language or title")
}

// In both color schemes and at two widths an accessibility audit finds no defects, and Tab reaches every control
// visibly.
func TestBrowserAccessibility(t *testing.T) {
	ctx := browser(t, printed(t, render.HTML, pingackReport(t)))
	chromium.Eval(t, ctx, `document.querySelectorAll("details").forEach(d => d.open = true)`)
	chromium.Do(t, ctx, chromedp.KeyEvent("?"))
	for _, width := range []int64{1400, 800} {
		chromium.Do(t, ctx, chromedp.EmulateViewport(width, 900))
		for _, theme := range []string{"light", "dark"} {
			chromium.Eval(t, ctx, fmt.Sprintf("document.documentElement.dataset.theme = %q", theme))
			if bad := chromium.Eval(t, ctx, chromium.Audit); bad != "" {
				t.Errorf("%s, %d pixels:\n%s", theme, width, bad)
			}
			if out := chromium.Eval(t, ctx, `document.documentElement.scrollWidth - innerWidth`); out != "0" {
				t.Errorf("%d pixels: the page is wider by %s", width, out)
			}
			chromium.Screenshot(t, ctx, fmt.Sprintf("%s-%d", theme, width))
		}
	}
	chromium.CheckTab(t, ctx)
}
