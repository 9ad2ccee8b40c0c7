//go:build browser

package web_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/history"
	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/task/remote"
	"github.com/macemc/macemc/internal/test/chromium"
	"github.com/macemc/macemc/mdb"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems"
)

// await waits until the text of an element contains a text.
func await(t *testing.T, ctx context.Context, selector, want string) {
	t.Helper()
	got := ""
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got = chromium.Text(t, ctx, selector); strings.Contains(got, want) {
			return
		}
	}
	t.Fatalf("%s: %q is missing in\n%s", selector, want, got)
}

// click clicks the button with a text.
func click(t *testing.T, ctx context.Context, text string) {
	t.Helper()
	found := chromium.Eval(t, ctx, fmt.Sprintf(`(() => { const b = [...document.querySelectorAll("button")].find(b => b.textContent === %q);
		if (b) b.click(); return !!b })()`, text))
	if found != "true" {
		t.Fatalf("there is no button %q:\n%s", text, chromium.Text(t, ctx, "body"))
	}
}

// A system is stepped through in the page: by clicks on events, back, on branches, by keys. A run is saved.
func TestBrowserSystem(t *testing.T) {
	for _, width := range []int64{1400, 800} {
		t.Run(fmt.Sprint(width), func(t *testing.T) { stepThrough(t, width) })
	}
}

func stepThrough(t *testing.T, width int64) {
	t.Chdir(t.TempDir())
	w := serve(t, session(t, "pingack"), "")
	ctx := chromium.OpenClean(t, w.address)
	chromium.Do(t, ctx, chromedp.EmulateViewport(width, 900))
	press := func(key string) { t.Helper(); chromium.Do(t, ctx, chromedp.KeyEvent(key)) }

	await(t, ctx, "#at", "main, step 0 of 0")
	chromium.Expect(t, "options", chromium.Text(t, ctx, "#options"), "n0", "n0 ping")
	click(t, ctx, "n0 ping")
	await(t, ctx, "#at", "branch1, step 1 of 1")
	chromium.Expect(t, "options", chromium.Text(t, ctx, "#options"), "n0 timer resend", "n1 receives Ping{1} from n0", "faults", "network loses Ping{1} n0->n1")
	chromium.Expect(t, "properties", chromium.Text(t, ctx, "#properties"), "eventually\tdoes not hold\tsince step 1\tevery ping is acknowledged")
	chromium.Expect(t, "states", chromium.Text(t, ctx, "#states"), "Sent\t0 1")
	chromium.Expect(t, "lanes", chromium.Text(t, ctx, "#names"), "n0", "n1")
	chromium.Expect(t, "legend", chromium.Text(t, ctx, "#legend"), "action")
	click(t, ctx, "n1 receives Ping{1} from n0")
	await(t, ctx, "#at", "branch1, step 2 of 2")
	click(t, ctx, "n0 receives Ack{1} from n1")
	await(t, ctx, "#at", "branch1, step 3 of 3")
	chromium.Expect(t, "live", chromium.Text(t, ctx, "#step"), "The state after it is live.")

	// Back, and the acknowledgement is lost: another branch.
	press("k")
	await(t, ctx, "#at", "branch1, step 2 of 3")
	chromium.Expect(t, "what the run does", chromium.Text(t, ctx, `#options [aria-current="true"]`), "n0 receives Ack{1} from n1")
	click(t, ctx, "network loses Ack{1} n1->n0")
	await(t, ctx, "#at", "branch2, step 3 of 3")
	chromium.Expect(t, "runs", chromium.Text(t, ctx, "#list"), "3 steps, at step 2, branched from main at step 0, live in the end, not saved", "branched from branch1 at step 2, not saved")
	chromium.Expect(t, "difference", chromium.Text(t, ctx, "#difference"), "branch2 after step 3 | branch1 after step 3", "n0.Acked  0 | 1")
	if out := chromium.Eval(t, ctx, `document.documentElement.scrollWidth - innerWidth`); out != "0" {
		t.Errorf("the page is wider by %s", out)
	}
	chromium.Screenshot(t, ctx, fmt.Sprintf("web-branch-%d", width))
	click(t, ctx, "main")
	await(t, ctx, "#at", "main, step 0 of 0")
	chromium.Eval(t, ctx, `document.querySelector('[data-line="diff branch2"]').click()`)
	await(t, ctx, "#output", ": diff branch2\nmain after step 0 | branch2 after step 0")
	click(t, ctx, "branch2")
	await(t, ctx, "#at", "branch2, step 0 of 3")

	// The lanes can be clicked, and the keys are those of the terminal.
	chromium.Eval(t, ctx, `document.querySelector('#steps .step[data-step="2"]').dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
	await(t, ctx, "#at", "branch2, step 2 of 3")
	chromium.Expect(t, "selected", chromium.Eval(t, ctx, `document.querySelector('#steps .step.sel').dataset.step`), "2")
	for _, c := range []struct{ key, selector, want string }{
		{"j", "#at", "step 3 of 3"}, {"j", "#found", "this is the end of the run"}, {"p", "#at", "step 2 of 3"}, {"n", "#at", "step 3 of 3"},
		{kb.ArrowUp, "#at", "step 2 of 3"}, {kb.ArrowDown, "#at", "step 3 of 3"}, {kb.Home, "#at", "step 0 of 3"}, {kb.End, "#at", "step 3 of 3"},
		{kb.PageUp, "#at", "step 0 of 3"}, {kb.PageDown, "#at", "step 3 of 3"},
		{"0", "#step", "n0 is selected"}, {"P", "#at", "step 1 of 3"}, {"N", "#at", "step 3 of 3"}, {"N", "#found", "n0 has no step between here and the end"}, {"x", "#found", "no node is selected"},
		{kb.ArrowLeft, "#at", "step 2 of 3"}, {kb.ArrowRight, "#at", "step 3 of 3"}, {"w", "#output", ": why\n"}, {"c", "#output", ": critical\n"}, {"?", "#keys", "step back"},
	} {
		press(c.key)
		await(t, ctx, c.selector, c.want)
	}
	press(kb.Escape)
	chromium.Expect(t, "Escape", chromium.Eval(t, ctx, `document.getElementById("keys").hidden`), "true")
	press("t")
	chromium.Expect(t, "t", chromium.Eval(t, ctx, `getComputedStyle(document.body).backgroundColor`), "rgb(21, 24, 28)")

	// The command line.
	press(":")
	chromium.Expect(t, ":", chromium.Eval(t, ctx, "document.activeElement.id"), "line")
	typed := func(text string) {
		t.Helper()
		chromium.Eval(t, ctx, `document.activeElement.value = ""`) // the protocol types a character whose key was handled
		chromium.Do(t, ctx, chromedp.SendKeys(chromedp.CSS("#line"), text))
	}
	typed("mess" + kb.Tab)
	for chromium.Eval(t, ctx, `document.getElementById("line").value`) != "messages " {
		time.Sleep(20 * time.Millisecond)
	}
	chromium.Do(t, ctx, chromedp.KeyEvent(kb.Enter))
	await(t, ctx, "#output", ": messages\n  no message is in flight")
	press("/")
	chromium.Expect(t, "/", chromium.Eval(t, ctx, "document.activeElement.value"), "find event ")
	press(kb.ArrowUp)
	chromium.Expect(t, "recalled", chromium.Eval(t, ctx, "document.activeElement.value"), "messages")
	typed("nonsense" + kb.Enter)
	await(t, ctx, "#found", `unknown command "nonsense"`)

	// Saving overwrites nothing.
	click(t, ctx, "save")
	await(t, ctx, "#found", "3 steps are in branch2.path")
	text, err := os.ReadFile("branch2.path")
	if err != nil || !strings.Contains(string(text), "2 lose n0<-n1 Ack{Seq:1}") {
		t.Errorf("%v: %s", err, text)
	}
	click(t, ctx, "save")
	await(t, ctx, "#found", "branch2.path exists already and is not overwritten")
	click(t, ctx, "save as test")
	await(t, ctx, "#found", "this system is not defined by one")
	chromium.Eval(t, ctx, `document.getElementById("file").value = "it's one.path"`)
	click(t, ctx, "save")
	await(t, ctx, "#found", "3 steps are in it's one.path")
	if _, err := os.Stat("it's one.path"); err != nil {
		t.Error(err)
	}

	// The page says that the session is over, and does not ask again.
	press("q")
	await(t, ctx, "#found", "branch1 not saved")
	press("q")
	await(t, ctx, "#found", "The session is over.")
	if err := <-w.end; err != nil {
		t.Error(err)
	}
	press("j")
	chromium.Expect(t, "over", chromium.Text(t, ctx, "#found"), "The session is over.")
}

// Esc stops a command. When macemc has ended, the page says so.
func TestBrowserStop(t *testing.T) {
	s := &slow{Session: session(t, "pingack"), began: make(chan struct{}, 1)}
	w := serve(t, s, "")
	ctx, _ := chromium.Open(t, w.address)
	await(t, ctx, "#at", "main, step 0 of 0")
	chromium.Do(t, ctx, chromedp.SendKeys(chromedp.CSS("#line"), "wait"+kb.Enter))
	await(t, ctx, "#found", "executing wait; Esc stops it")
	<-s.began
	chromium.Do(t, ctx, chromedp.KeyEvent(kb.Escape))
	await(t, ctx, "#found", "wait was stopped")
	click(t, ctx, "n0 ping")
	await(t, ctx, "#at", "branch1, step 1 of 1")
	w.cancel()
	<-w.end
	chromium.Do(t, ctx, chromedp.KeyEvent("k"))
	await(t, ctx, "#found", "macemc has ended; the terminal in which it was started says why.")
	chromium.Expect(t, "disabled", chromium.Eval(t, ctx, `[...document.querySelectorAll("#options button")].every(b => b.disabled)`), "true")
}

// The death of the process of the checked code is an error, beside the last state that is known.
func TestBrowserProcessEnds(t *testing.T) {
	s, dead := session(t, "pingack"), false
	w := serve(t, remote.Debugger(func(ctx context.Context, q remote.Question) remote.Answer {
		if dead = dead || q.Line == "take 1"; dead {
			return remote.Answer{Error: "the process that executes the run has ended"}
		}
		return remote.Reply(ctx, s, q)
	}), "")
	ctx := chromium.OpenClean(t, w.address)
	await(t, ctx, "#at", "main, step 0 of 0")
	click(t, ctx, "n0 ping")
	await(t, ctx, "#at", "branch1, step 1 of 1")
	click(t, ctx, "n1 receives Ping{1} from n0")
	await(t, ctx, "#found", "the process that executes the run has ended")
	chromium.Expect(t, "output", chromium.Text(t, ctx, "#output"), ": take 1\n\nerror: the process that executes the run has ended")
	chromium.Expect(t, "state", chromium.Text(t, ctx, "#at"), "branch1, step 1 of 1")
	chromium.Expect(t, "disabled", chromium.Eval(t, ctx, `[...document.querySelectorAll("#options button")].every(b => b.disabled)`), "true")
}

// A run that was found opens at its critical step. The page has no accessibility defects and is as wide as the window.
func TestBrowserFinding(t *testing.T) {
	folder := filepath.Join("..", "..", "mdb", "testdata", "rt13")
	l, err := check.Load(t.Context(), systems.All(), filepath.Join(folder, "error.path"), -1, nil)
	if err != nil {
		t.Fatal(err)
	}
	live, err := check.LoadFor(t.Context(), filepath.Join(folder, "live.path"), &l.System, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := mdb.Open(mdb.Config{
		System: &l.System, Header: l.Header, Path: l.Path, Name: "error.path", Live: live.Path, LiveName: "live.path",
		CriticalTransition: mdb.ReadCriticalTransition(filepath.Join(folder, "error.path")),
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Begin(true)
	w := serve(t, s, "")
	ctx := chromium.OpenClean(t, w.address)
	await(t, ctx, "#step", "the critical step")
	chromium.Expect(t, "critical", chromium.Eval(t, ctx, `document.querySelector("#steps .mark") !== null`), "true")
	for _, width := range []int64{1400, 800} {
		chromium.Do(t, ctx, chromedp.EmulateViewport(width, 900))
		chromium.Do(t, ctx, chromedp.Reload())
		await(t, ctx, "#step", "the critical step")
		if seen := chromium.Eval(t, ctx, `(() => { const row = document.querySelector("#steps .step.sel .hit").getBoundingClientRect();
			return row.top > 0 && row.bottom < innerHeight })()`); seen != "true" {
			t.Errorf("%d pixels: the first screen does not show the step", width)
		}
		if seen := chromium.Eval(t, ctx, `document.querySelector("#options button").getBoundingClientRect().bottom < innerHeight`); seen != "true" {
			t.Errorf("%d pixels: the first screen shows no event", width)
		}
		for _, theme := range []string{"light", "dark"} {
			chromium.Eval(t, ctx, fmt.Sprintf("document.documentElement.dataset.theme = %q", theme))
			if bad := chromium.Eval(t, ctx, chromium.Audit); bad != "" {
				t.Errorf("%s, %d pixels:\n%s", theme, width, bad)
			}
			if out := chromium.Eval(t, ctx, `document.documentElement.scrollWidth - innerWidth`); out != "0" {
				t.Errorf("%d pixels: the page is wider by %s", width, out)
			}
			chromium.Screenshot(t, ctx, fmt.Sprintf("web-%s-%d", theme, width))
		}
		compareBeside(t, ctx, width)
	}
	chromium.CheckTab(t, ctx)
}

// deadlocked returns the run of a test with a deadlock of g4 and g5, in which g2 and g3 have ended. Its second step locks in line 4 of a
// file.
func deadlocked(file string) *replay.Trace {
	change := func(node int, path, now string) replay.NodeChange {
		return replay.NodeChange{Node: node, Path: path, New: now}
	}
	step := func(n, node int, changes ...replay.NodeChange) replay.TraceStep {
		s := replay.TraceStep{Number: n, Node: node, Peer: -1, What: "locks `mu`", Key: fmt.Sprint(n), Source: "lock.go:4", Changes: changes,
			Event: netmodel.Event{Kind: eventkind.DoAction, Node: sim.NodeID(node), Peer: -1}}
		s.SetPlace(file + ":4")
		return s
	}
	t := &replay.Trace{System: "TestLock", Goroutines: true, Nodes: 5, Names: []string{"TestLock", "ends", "ends", "locks", "locks"},
		Finding: &sim.Finding{Kind: "deadlock", Message: "g4 and g5 wait", Node: -1}, FoundAt: 2}
	for node := range 3 {
		status := history.StatusEnded
		if node == 0 {
			status = "waits for WaitGroup `wg`"
		}
		t.Boot.Changes = append(t.Boot.Changes, change(node, history.PathStatus, status))
	}
	t.Steps = []replay.TraceStep{
		step(1, 3, change(3, history.PathStatus, "waits to lock `b`"), change(3, history.PathHolder, "g5")),
		step(2, 4, change(4, history.PathStatus, "waits to lock `a`"), change(4, history.PathHolder, "g4")),
	}
	return t
}

// The page of a test begins with the goroutines of the finding, folds those that have ended, and shows the source of the step.
func TestBrowserGoroutines(t *testing.T) {
	file := filepath.Join(t.TempDir(), "lock.go")
	if err := os.WriteFile(file, []byte("package lock\n\nfunc lock() {\n\tmu.Lock()\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := mdb.Open(mdb.Config{Trace: deadlocked(file)})
	if err != nil {
		t.Fatal(err)
	}
	s.Begin(true)
	w := serve(t, s, "")
	ctx := chromium.OpenClean(t, w.address)
	for _, width := range []int64{1400, 800} {
		chromium.Do(t, ctx, chromedp.EmulateViewport(width, 900), chromedp.Reload())
		await(t, ctx, "#at", "main, step 2 of 2")
		if got := chromium.Eval(t, ctx, `[...document.querySelectorAll("#states > .node h3")].map(h => h.textContent).join(" ")`); got != "g4 g5 g1" {
			t.Errorf("%d pixels: the states are those of %s", width, got)
		}
		chromium.Expect(t, "lanes", chromium.Eval(t, ctx, `[...document.querySelectorAll("#names text")].map(n => n.textContent).join(" ")`), "g4 locks g5 locks")
		chromium.Expect(t, "ended", chromium.Text(t, ctx, "#states .ended"), "2 goroutines have ended: g2 g3")
		chromium.Expect(t, "folded", chromium.Eval(t, ctx, `document.querySelector("#states .ended").open`), "false")
		chromium.Expect(t, "marked", chromium.Eval(t, ctx, `document.querySelector("#source mark").textContent`), "=> 4      mu.Lock()")
		if seen := chromium.Eval(t, ctx, `document.querySelector("#source mark").getBoundingClientRect().bottom < innerHeight`); seen != "true" {
			t.Errorf("%d pixels: the first screen does not show the line of the step", width)
		}
		for _, theme := range []string{"light", "dark"} {
			chromium.Eval(t, ctx, fmt.Sprintf("document.documentElement.dataset.theme = %q", theme))
			if bad := chromium.Eval(t, ctx, chromium.Audit); bad != "" {
				t.Errorf("%s, %d pixels:\n%s", theme, width, bad)
			}
		}
		if out := chromium.Eval(t, ctx, `document.documentElement.scrollWidth - innerWidth`); out != "0" {
			t.Errorf("%d pixels: the page is wider by %s", width, out)
		}
		chromium.Screenshot(t, ctx, fmt.Sprintf("web-goroutines-%d", width))
		// They remain unfolded in the next step.
		chromium.Eval(t, ctx, `document.querySelector("#states .ended summary").click()`)
		chromium.Do(t, ctx, chromedp.KeyEvent("k"))
		await(t, ctx, "#at", "main, step 1 of 2")
		chromium.Expect(t, "unfolded", chromium.Text(t, ctx, "#states .ended"), "g2", "status\tended")
		chromium.Do(t, ctx, chromedp.KeyEvent("j"))
		await(t, ctx, "#at", "main, step 2 of 2")
	}
	chromium.CheckTab(t, ctx)
}

// compareBeside shows the live run beside the run that does not recover. The matching step lies at the same height.
func compareBeside(t *testing.T, ctx context.Context, width int64) {
	t.Helper()
	press := func(key string) { t.Helper(); chromium.Do(t, ctx, chromedp.KeyEvent(key)) }
	at := chromium.Text(t, ctx, "#at")
	press("b")
	await(t, ctx, "#other-drawn", "Steps of live, step ")
	for _, key := range []string{"", kb.Home, "j", kb.PageDown, kb.End, "c"} {
		if key != "" {
			before := chromium.Text(t, ctx, "#at")
			press(key)
			for end := time.Now().Add(10 * time.Second); chromium.Text(t, ctx, "#at") == before && time.Now().Before(end); {
				time.Sleep(20 * time.Millisecond)
			}
		}
		told := chromium.Text(t, ctx, "#other-drawn")
		difference := chromium.Text(t, ctx, "#difference")
		var step int
		if _, err := fmt.Sscanf(told, "Steps of live, step %d", &step); err != nil || !strings.Contains(difference, fmt.Sprintf("| live after step %d", step)) ||
			strings.Contains(told, "no step matches") != strings.Contains(difference, "that step does not occur") {
			t.Errorf("%d pixels, %q: the lanes are at %q, the difference is\n%s", width, key, told, difference)
		}
		apart := chromium.Eval(t, ctx, `(() => {
			const row = (list, frame) => { const r = document.querySelector(list + " .step.sel .hit"), f = document.querySelector(frame);
				return {y: r ? r.getBoundingClientRect().top - f.getBoundingClientRect().top : 0,
					seen: !r || r.getBoundingClientRect().bottom <= f.getBoundingClientRect().bottom + 1 && r.getBoundingClientRect().top >= f.getBoundingClientRect().top - 1} };
			const a = row("#steps", "#scroll"), b = row("#other-steps", "#other-scroll");
			return !a.seen || !b.seen ? "hidden" : Math.abs(a.y - b.y) > 2 ? Math.abs(a.y - b.y) + " pixels" : "" })()`)
		if apart != "" {
			t.Errorf("%d pixels, %q: the steps are apart: %s", width, key, apart)
		}
	}
	chromium.Expect(t, "only in one run", chromium.Eval(t, ctx, `[document.querySelectorAll("#steps .match").length > 0, document.querySelectorAll("#other-steps .match").length > 0]`), "true,true")
	beside := chromium.Eval(t, ctx, `document.getElementById("other").getBoundingClientRect().left > document.getElementById("graph").getBoundingClientRect().right`)
	if beside != fmt.Sprint(width > 1000) {
		t.Errorf("%d pixels: side by side is %s", width, beside)
	}
	for _, theme := range []string{"light", "dark"} {
		chromium.Eval(t, ctx, fmt.Sprintf("document.documentElement.dataset.theme = %q", theme))
		if bad := chromium.Eval(t, ctx, chromium.Audit); bad != "" {
			t.Errorf("side by side, %s, %d pixels:\n%s", theme, width, bad)
		}
		if out := chromium.Eval(t, ctx, `document.documentElement.scrollWidth - innerWidth`); out != "0" {
			t.Errorf("side by side, %d pixels: the page is wider by %s", width, out)
		}
		chromium.Screenshot(t, ctx, fmt.Sprintf("web-beside-%s-%d", theme, width))
	}
	// A click in the other run goes there.
	chromium.Eval(t, ctx, `document.querySelector("#other-steps .step.sel").dispatchEvent(new MouseEvent("click", {bubbles: true}))`)
	await(t, ctx, "#at", "live, step ")
	await(t, ctx, "#other-drawn", "Steps of main, step ")
	click(t, ctx, "main")
	await(t, ctx, "#at", at)
	press("b")
	for end := time.Now().Add(10 * time.Second); chromium.Eval(t, ctx, `document.getElementById("other").hidden`) != "true"; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the other run is still shown")
		}
	}
}
