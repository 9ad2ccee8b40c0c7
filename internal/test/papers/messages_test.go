package papers_test

import (
	"testing"

	"github.com/macemc/macemc/choose"
	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/declared"
	"github.com/macemc/macemc/internal/kernel/stepinfo"
	"github.com/macemc/macemc/internal/replay"
	"github.com/macemc/macemc/internal/test/papers"
	"github.com/macemc/macemc/internal/wire"
	"github.com/macemc/macemc/systems/spec"
)

// All messages of bundled systems can be sent on a real network.
func TestMessagesCanBeSent(t *testing.T) {
	for _, e := range papers.All() {
		if e.Messages == nil {
			continue // it does not run live
		}
		t.Run(e.Name, func(t *testing.T) {
			codec, err := wire.NewTypes(e.Messages...)
			if err != nil {
				t.Fatal(err)
			}
			sys, err := e.New(spec.Config{})
			if err != nil {
				t.Fatal(err)
			}
			w, err := kernel.NewWorld(&sys, kernel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			plans, err := encoding.NewSet(declared.Rules(sys.State)...)
			if err != nil {
				t.Fatal(err)
			}
			text := func(v any) string {
				p, err := plans.Of(v)
				if err != nil {
					t.Fatal(err)
				}
				return p.Text(v)
			}
			sent := 0
			for seed := range uint64(40) {
				random := choose.NewRandom(seed+1, 0)
				run := replay.NewRun(w)
				err := run.Start(random)
				for range 200 {
					if err != nil {
						t.Fatal(err)
					}
					for i := range w.Last().Effects {
						f := &w.Last().Effects[i]
						if f.Kind != stepinfo.SendEffect && f.Kind != stepinfo.StreamEffect {
							continue
						}
						sent++
						data, err := codec.Append(nil, f.Msg.Body)
						if err != nil {
							t.Fatal(err)
						}
						back, err := codec.Decode(data)
						if err != nil || text(back) != text(f.Msg.Body) {
							t.Fatalf("%s came back as %v, %v", text(f.Msg.Body), back, err)
						}
					}
					n := len(w.Enabled()) + len(w.Injections(nil))
					if n == 0 {
						break
					}
					err = run.Step(random.IntN(n), random)
				}
			}
			if sent == 0 {
				t.Error("nothing was sent")
			}
		})
	}
}
