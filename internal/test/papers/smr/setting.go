package smr

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/spec"
)

// Setting has the parameters of a replicated state machine and its clients. The clients are the first nodes,
// followed by the machine that they ask and the rest of the protocol.
type Setting struct {
	Clients, Requests int
	Failures          int  // failing replicas
	Single            bool // a single node replaces the protocol
	Crashes           bool // replicas crash instead of failing on request
	Process           int  // number of replicas in each process, which crash together; 0 means one
	Service           Service
	Pause             time.Duration
}

// Params returns the parameters of a Setting. Protocol is the value of smr other than "single".
func Params(protocol, clients, failures string) []spec.Param {
	return []spec.Param{
		{Name: "clients", Kind: spec.Int, Default: clients, Min: 1, Max: 3, Help: "number of clients"},
		{Name: "requests", Kind: spec.Int, Default: "1", Min: 1, Max: MaxRequests, Help: "number of commands of each client"},
		{Name: "failures", Kind: spec.Int, Default: failures, Min: 0, Max: 3, Help: "number of replicas that fail; the others must suffice"},
		{Name: "app", Kind: spec.OneOf, Values: slices.Sorted(maps.Keys(Services())), Default: "counter", Help: "the replicated service"},
		{Name: "smr", Kind: spec.OneOf, Values: []string{protocol, "single"}, Default: protocol, Help: "the service of the clients"},
		{Name: "fail", Kind: spec.OneOf, Values: []string{"told", "crash"}, Default: "told",
			Help: "how replicas fail: on request, with notice; or by crashes, over connections that break"},
		{Name: "process", Kind: spec.Int, Default: "1", Min: 1, Max: 3,
			Help: "with fail=crash, number of replicas in each process, which crash together"},
		{Name: "pause", Kind: spec.Int, Default: "0", Min: 0, Max: 60_000, Help: "milliseconds that clients wait before each command"},
	}
}

// Of returns the Setting of a configuration with such parameters.
func Of(c spec.Config) Setting {
	return Setting{
		Clients: c.Int("clients"), Requests: c.Int("requests"), Failures: c.Int("failures"), Service: Services()[c.Text("app")],
		Single: c.Text("smr") == "single", Crashes: c.Text("fail") == "crash", Process: c.Int("process"),
		Pause: time.Duration(c.Int("pause")) * time.Millisecond,
	}
}

// Check reports parameters that do not fit together.
func (s Setting) Check() error {
	if s.Crashes && s.Single {
		return errors.New("a single node does not fail: use fail=crash without smr=single")
	}
	if s.Process > 1 && !s.Crashes {
		return fmt.Errorf("process=%d needs fail=crash: otherwise replicas fail one by one", s.Process)
	}
	return nil
}

// House assigns replicas, from first on, to processes of so many each.
func House(ms *machine.System, first machine.ID, replicas, process int) {
	for i := 0; i < replicas && process > 1; i += process {
		var ids []machine.ID
		for k := i; k < min(i+process, replicas); k++ {
			ids = append(ids, first+machine.ID(k))
		}
		if len(ids) > 1 {
			ms.Container(ids...)
		}
	}
}

// Front returns the machine that clients ask.
func (s Setting) Front() machine.ID { return machine.ID(s.Clients) }

// Machines adds the clients, and the protocol or a single node with as many nodes.
func (s Setting) Machines(nodes int, protocol func(*machine.System)) *machine.System {
	ms := &machine.System{}
	AddClients(ms, s.Clients, s.Requests, s.Front(), s.Service, s.Pause)
	if s.Single {
		Fill(ms, ms.Add(SingleKind, SingleNode{App: s.Service})+1, nodes)
		return ms
	}
	if s.Crashes {
		ms.Streams = &netsim.Streams{Buffer: 1000}
	}
	protocol(ms)
	return ms
}

// System returns the system to check: all clients end, and unless there is a single node, the protocol keeps its
// properties. At most halts of the replicas from first on crash. If none does the single node is compared with the
// protocol. Machines must make the machines of s with the given Single.
func (s Setting) System(name string, machines func(single bool) *machine.System, first machine.ID, replicas, halts int,
	keeps ...sim.Property) sim.System {
	sys := machines(s.Single).Sim(name)
	sys.Properties = []sim.Property{{Name: "every client comes to an end", Eventually: Ended(s.Clients)}}
	if !s.Single {
		sys.Properties = append(sys.Properties, keeps...)
	}
	if s.Crashes {
		sys.Halts = halts
		sys.MayHalt = func(id sim.NodeID) bool { return id >= first && int(id-first) < replicas }
		return sys
	}
	clients := make([]sim.NodeID, s.Clients)
	for i := range clients {
		clients[i] = sim.NodeID(i)
	}
	sys.Abstractions = []sim.Abstraction{{
		Name: fmt.Sprintf("a single node, among %d clients with %d commands each", s.Clients, s.Requests), Used: s.Single, Clients: clients,
		Impl: func() sim.System { return machines(false).Sim(name) },
		Abs:  func() sim.System { return machines(true).Sim("a single node") },
	}}
	return sys
}

// Up returns the machines, out of so many from first on, that have not failed, in order.
func Up[R any](v *sim.View, first machine.ID, replicas int) (up []*R) {
	for i := range replicas {
		if r := machine.Vars[R](v, first+machine.ID(i)); r != nil {
			up = append(up, r)
		}
	}
	return up
}
