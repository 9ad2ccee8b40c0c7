package steptree_test

import (
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/internal/table/steptree"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

func idle(*actor, sim.Env) {}

// Sets have one number if they are of one quorum, and have the same senders and messages.
func TestSetOf_AgreesWithMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, _ := newWalker(t, sim.System{Name: "sets", Network: netsim.Datagrams{}}, idle)
		ids := map[string]uint32{}
		for range rapid.IntRange(1, 40).Draw(t, "sets") {
			set := steptree.MessageSet{Quorum: rapid.Int32Range(0, 1).Draw(t, "quorum")}
			for range rapid.IntRange(0, 2).Draw(t, "size") {
				set.From = append(set.From, sim.NodeID(rapid.IntRange(0, 1).Draw(t, "sender")))
				set.Msgs = append(set.Msgs, rapid.Uint32Range(0, 1).Draw(t, "message"))
			}
			text := fmt.Sprint(set)
			want, known := ids[text]
			if !known {
				want = uint32(len(ids))
				ids[text] = want
			}
			if got := w.SetOf(set); got != want || !reflect.DeepEqual(w.Quorums.Sets[got], set) {
				t.Fatalf("the number of %v is %d, that of %v; want %d", set, got, w.Quorums.Sets[got], want)
			}
		}
	})
}

// setsOf returns all sets of the needed number of votes of different senders, and the number of other messages. Votes are
// true, and begin with the sender.
func setsOf(votes map[string]bool, need int) (sets map[string]bool, others int) {
	var list []string
	for text, is := range votes {
		if is {
			list = append(list, text)
		} else {
			others++
		}
	}
	slices.Sort(list)
	sets = map[string]bool{}
	for set := range 1 << len(list) {
		text, senders := "", [2]int{}
		for i, vote := range list {
			if set>>i&1 == 1 {
				text += " " + vote
				senders[vote[0]-'0']++
			}
		}
		if bits.OnesCount(uint(set)) == need && need > 0 && max(senders[0], senders[1]) < 2 {
			sets[text] = true
		}
	}
	return sets, others
}

// A node takes each set of the needed number of senders, and its votes are delivered no other way.
func TestGather_AgreesWithEnumeration(t *testing.T) {
	type vote struct{ Of int }
	rapid.Check(t, func(t *rapid.T) {
		need := rapid.IntRange(0, 3).Draw(t, "need")
		w, local := newWalker(t, sim.System{Name: "votes", Network: netsim.Datagrams{}, Quorums: []sim.AnyQuorum{sim.Quorum[*actor, vote]{
			Name: "votes", Need: func(*actor) int { return need }, Do: func(*actor, sim.Env, []sim.From[vote]) {},
		}}}, idle)
		inbox, votes := uint32(0), map[string]bool{}
		for range rapid.IntRange(0, 5).Draw(t, "messages") {
			from, body := sim.NodeID(rapid.IntRange(0, 1).Draw(t, "sender")), any("other")
			if rapid.IntRange(0, 3).Draw(t, "kind") > 0 {
				body = vote{rapid.IntRange(0, 2).Draw(t, "of")}
			}
			m := w.Message(body)
			inbox = w.Inboxes.AfterSend(inbox, from, m)
			votes[fmt.Sprint(from, m)] = body != "other"
		}
		want, others := setsOf(votes, need)
		g := w.Gather(0, local, inbox)
		got, delivered := map[string]bool{}, 0
		for _, ev := range g.Events {
			if ev.Kind == eventkind.Deliver {
				delivered++
				continue
			}
			taken, text := g.Sets[ev.Slot], ""
			set := w.Quorums.Sets[taken.ID]
			for i, from := range set.From {
				text += " " + fmt.Sprint(from, set.Msgs[i])
			}
			got[text] = true
			if len(taken.Places) != need || !slices.IsSortedFunc(taken.Places, func(a, b int32) int { return int(b - a) }) {
				t.Fatalf("%s is at %v", text, taken.Places)
			}
			for _, place := range taken.Places {
				if it := w.Inboxes.List[inbox].Items[place]; !set.Has(it.From, it.Msg) {
					t.Fatalf("%s is at %v, where a message is not of the set", text, taken.Places)
				}
			}
		}
		if !reflect.DeepEqual(got, want) || delivered != others || g.Err != nil {
			t.Fatalf("of %v, if %d are needed, it takes %v, want %v; %d of %d others are delivered, %v",
				votes, need, got, want, delivered, others, g.Err)
		}
		if again := w.Gather(0, local, inbox); again != g {
			t.Fatal("the sets are not looked up")
		}
		if err := w.RepeatQuorums(local, inbox); err != nil {
			t.Fatal(err)
		}
	})
}
