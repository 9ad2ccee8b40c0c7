package render_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/critical"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/randtree"
	"github.com/macemc/macemc/systems/spec"
)

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

// Only reports of dead runs mention whether a state is live. It is irrelevant to other findings.
func TestPage_NotLive(t *testing.T) {
	step1 := critical.Transition{Step: 1}
	for _, critical := range []*report.Critical{nil, {Transition: step1}} {
		r := report.Report{Settings: report.Settings{System: "bomb", Nodes: 1}, Verdict: search.Violation, Kind: sim.Safety,
			Dead: trace(t, bombs(), "action n0 light"), Critical: critical}
		if page := printed(t, render.HTML, &r); bytes.Contains(page, []byte(`"unjudged":true`)) != (critical == nil) {
			t.Errorf("critical step %v: unjudged is wrong", critical)
		}
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
func TestPage_Small(t *testing.T) {
	for _, steps := range []int{499, 500, 5000} {
		if testing.Short() && steps == 5000 {
			continue
		}
		page := printed(t, render.HTML, wideReport(t, steps))
		t.Logf("%d steps: %d kB", steps, len(page)>>10)
		if zipped := bytes.Contains(page, []byte(`download="error.path.gz" href="data:application/gzip;base64,`)); zipped != (steps == 5000) {
			t.Errorf("%d steps: error.path is compressed: %t", steps, zipped)
		}
		if len(page) > 1_100_000 {
			t.Errorf("%d steps: the page has %d bytes, want less than 1.1 million", steps, len(page))
		}
	}
}

// The excerpt of a long run shows each step that the text names.
func TestPage_NamedSteps(t *testing.T) {
	d := document.New(wideReport(t, 5000), nil)
	text := ""
	for _, f := range slices.Concat(d.Violated, d.Compared) {
		if f.Label != "only there:" && f.Label != "nearest run:" { // these name steps of the live run
			text += f.Label + " " + f.Text + "\n"
		}
	}
	for _, c := range d.Causes {
		text += c.Note + "\n"
	}
	named := regexp.MustCompile(`(?:^|[^|] )step ([0-9]+)`).FindAllStringSubmatch(text, -1)
	for _, m := range named {
		if n, _ := strconv.Atoi(m[1]); !slices.Contains(d.DeadSteps, n) {
			t.Errorf("step %d is not among %v:\n%s", n, d.DeadSteps, text)
		}
	}
	if len(named) == 0 {
		t.Errorf("the text names no step:\n%s", text)
	}
}
