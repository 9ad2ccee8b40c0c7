package hashtable

import (
	"github.com/macemc/macemc/internal/test/papers/smr"
	"github.com/macemc/macemc/internal/test/papers/smr/group"
	"github.com/macemc/macemc/machine"
	"github.com/macemc/macemc/sim"
)

// setting has the parameters.
type setting struct {
	smr.Setting
	members, moves int
	group          group.Group // of each member
	bugs           bugs
}

func (s setting) member(i int) machine.ID {
	return s.Front() + 2 + machine.ID(i*s.group.Nodes())
}

// machines adds the clients, the dispatcher, the master, and the members; or the clients and a single node.
func (s setting) machines(single bool) *machine.System {
	s.Single = single
	return s.Machines(int(s.member(s.members)), func(ms *machine.System) {
		apps := make([]Member, s.members)
		var owners []machine.ID
		var places []int
		for key := range smr.Keys {
			i := key % s.members
			apps[i].Has[key] = true
			owners, places = with(owners, s.member(i)), with(places, i)
		}
		ms.Add(dispatcherKind, Dispatcher{Owners: owners, Bugs: s.bugs})
		var members []machine.ID
		for i := range s.members {
			members = with(members, s.member(i))
		}
		ms.Add(masterKind, Master{Dispatcher: s.Front(), Members: members, Owners: places, Left: s.moves, Bugs: s.bugs})
		for _, app := range apps {
			s.group.Add(ms, app)
		}
	})
}

// abstraction lets any client send any operation to a member.
func (s setting) abstraction() sim.Abstraction {
	var ops []smr.Op
	for _, do := range []string{smr.Get, smr.Put, take, give} {
		ops = append(ops, smr.Op{Do: do, Arg: 1})
	}
	return s.group.Abstraction(Member{}, ops)
}

func (s setting) system() sim.System {
	sys := s.System("hashtable", s.machines, 0, 0, 0)
	if !s.Single {
		sys.Abstractions = append(sys.Abstractions, s.abstraction())
	}
	return sys
}
