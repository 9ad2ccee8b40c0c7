package observe_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/observe"
	"github.com/macemc/macemc/sim"
)

type (
	Acquire struct{ Client machine.ID }
	Granted struct{}
	one     struct{ Asked bool }
)

var idleKind = machine.Define[struct{}]("idle", machine.In("on"))

var oneKind = machine.Define[one]("nothing is given that nobody has asked for", machine.In("watching",
	machine.On(func(o *one, _ *machine.Ctx, _ Acquire) { o.Asked = true }),
	machine.On(func(o *one, x *machine.Ctx, _ Granted) { x.Assert(o.Asked, "nobody has asked") })))

func services() (sys sim.System) {
	var ms machine.System
	for range 3 {
		ms.Add(idleKind, struct{}{})
	}
	ms.Monitor(oneKind, one{})
	return ms.Sim("lock")
}

// The logs of two nodes are judged together.
func Example() {
	sys := services()
	file, request := &bytes.Buffer{}, 7

	log := slog.New(observe.NewHandler(slog.NewJSONHandler(file, nil), sys.Monitors...)).With("node", 2)
	log.Info("asked", "event", Acquire{Client: 2}, "id", request) // sent to the server

	log = slog.New(observe.NewHandler(slog.NewJSONHandler(file, nil))).With("node", 0)
	log.Info("served", "event", Granted{}, "after", request) // there, when it has come

	for _, text := range []string{file.String(), strings.Replace(file.String(), `,"after":7`, "", 1)} {
		all := observe.NewLog(sys.Nodes)
		if err := all.Read("log", strings.NewReader(text)); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		h, _ := all.History(sys.Monitors[0]())
		j, _ := observe.Judge(context.Background(), h, sys.Monitors[0], sys.State, 1000)
		fmt.Printf("%s %q\n", j.Verdict, j.Message)
	}
	// Output:
	// none ""
	// some "nobody has asked"
}
