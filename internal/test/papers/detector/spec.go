package detector

import (
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// reliable is a monitor: a node that was shut down is owed until the clients learn that.
type reliable struct{ Missing, Detected Set }

const missing machine.State = "a node is down and not detected"

var reliableKind = machine.Define[reliable]("reliable failure detector",
	machine.In("all are detected", machine.Cold, machine.On((*reliable).told), machine.On((*reliable).shut, missing)),
	machine.In(missing, machine.Hot, machine.On((*reliable).told, "all are detected"), machine.On((*reliable).shut, missing)))

func (r *reliable) told(x *machine.Ctx, s machine.Sent[NodesDown]) {
	hot := r.Missing != 0
	r.Missing &^= s.Event.Nodes
	if r.Detected |= s.Event.Nodes; hot && r.Missing == 0 {
		x.Goto("all are detected")
	}
}

func (r *reliable) shut(x *machine.Ctx, s machine.Sent[ShutDown]) {
	if !r.Detected.has(s.Event.Node) {
		r.Missing = r.Missing.with(s.Event.Node)
		x.Goto(missing)
	}
}

// machines adds the nodes, a client, the detector and an injector of failures, in this order.
func machines(nodes, failures int, streams bool, b bugs) *machine.System {
	ms := &machine.System{}
	if streams {
		ms.Streams = &netsim.Streams{Buffer: 20} // more than is ever in flight
	}
	var ids []machine.ID
	all := Set(0)
	for range nodes {
		ids = append(ids, ms.Add(nodeKind, Node{}))
		all = all.with(ids[len(ids)-1])
	}
	client := ms.Add(clientKind, Client{all})
	ms.Add(detectorKind, Detector{Nodes: ids, Clients: []machine.ID{client}, Alive: all, Bugs: b})
	ms.Add(injectorKind, Injector{ids, failures})
	ms.Monitor(reliableKind, reliable{})
	return ms
}

// properties returns the property that the client can always learn which nodes are down.
func properties(nodes int) []sim.Property {
	known := func(v *sim.View) bool {
		c := machine.Vars[Client](v, machine.ID(nodes))
		for id := range machine.ID(nodes) {
			if c == nil || machine.StateOf(v, id) == "" && c.Up.has(id) {
				return false
			}
		}
		return machine.StateOf(v, machine.ID(nodes+2)) == "content"
	}
	return []sim.Property{{Name: "the client knows who is down", Eventually: known}}
}
