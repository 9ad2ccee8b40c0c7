package check_test

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

type (
	piler struct {
		sim.Nop
		Log []int
	}
	request struct{}
	answer  struct{}
)

// Each format shows the components that had grown when a search of states stopped at a limit.
func TestGrowth_InEachFormat(t *testing.T) {
	sys := sim.System{
		Name: "piler", Nodes: 3, New: func(sim.NodeID) sim.Service { return &piler{} }, Network: netsim.Datagrams{},
		Actions: []sim.AnyAction{sim.Action[*piler]{Name: "pile", At: func(id sim.NodeID) bool { return id == 0 }, Do: func(p *piler, env sim.Env) {
			p.Log = append(p.Log, len(p.Log))
			env.Send(1, request{})
			env.Send(2, request{})
			if len(p.Log)%3 == 0 {
				env.Send(2, answer{})
			}
		}}},
	}
	r, err := check.Run(t.Context(), check.Options{Search: search.Config{System: sys, Strategy: search.BFS, Reduce: options.ReduceNone, MaxDepth: 30}})
	if err != nil {
		t.Fatal(err)
	}
	var text, page, object, junit strings.Builder
	d := document.New(r, nil)
	for _, err := range []error{render.Terminal(&text, d), render.Markdown(&page, d), render.JSON(&object, d), render.JUnit(&junit, d)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	flat := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	const inOrder = `"grows": [ { "node": 2, "what": "inbox", "elements": 40, "type": "request", "of_type": 30 }, ` +
		`{ "node": 0, "what": "Log", "elements": 30 }, { "node": 1, "what": "inbox", "elements": 30, "type": "request", "of_type": 30 } ]`
	for _, c := range []struct{ format, got, want string }{
		{"text", text.String(), "growing: inbox of n2, to 40 elements, 30 of them request"},
		{"text", text.String(), "growing: Log of n0, to 30 elements"},
		{"text", text.String(), "growing: inbox of n1, to 30 request"},
		{"Markdown", page.String(), "growing: Log of n0, to 30 elements"},
		{"JSON", object.String(), inOrder},
		{"JUnit", junit.String(), `<property name="grows" value="inbox of n1, to 30 request">`},
	} {
		if !strings.Contains(flat(c.got), c.want) {
			t.Errorf("got %s without %q:\n%s", c.format, c.want, c.got)
		}
	}
}
