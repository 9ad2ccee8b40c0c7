package stepinfo

import (
	"strconv"

	"github.com/macemc/macemc/internal/netmodel"
	"github.com/macemc/macemc/sim"
)

// Label holds the parts of an event's stable key. It is valid as long as its event is.
type Label struct {
	Event netmodel.Event // gives the kind, node and peer of the key

	Carrier string             // "stream" or "datagram" before a message, in networks that have both; "" otherwise
	Content string             // the name of an action or quorum, the text of a timer, message or error; "" if there is none
	Set     []sim.From[string] // the messages that a quorum takes, as texts, by sender
	Process []sim.NodeID       // the nodes of the process that crashes or halts, ascending, up or not
}

// String returns the stable key.
func (l *Label) String() string {
	var room [96]byte
	key := l.appendNodes(room[:0])
	if l.Carrier != "" {
		key = append(append(key, ' '), l.Carrier...)
	}
	if l.Content != "" {
		key = append(append(key, ' '), l.Content...)
	}
	for _, m := range l.Set {
		key = AppendNode(append(key, " <-"...), m.From)
		key = append(append(key, ' '), m.Msg...)
	}
	return string(key)
}

// Head returns the beginning of the key: kind, node and peer.
func (l *Label) Head() string { return string(l.appendNodes(nil)) }

func (l *Label) appendNodes(key []byte) []byte {
	ev := &l.Event
	key = append(key, ev.Kind.String()...)
	if ev.Kind.TakesDown() {
		joint := " "
		for i, id := range l.Process {
			key = AppendNode(append(key, joint...), id)
			if joint = ", "; i == 0 {
				joint = " with "
			}
		}
		return key
	}
	if ev.Node < 0 {
		return key
	}
	key = AppendNode(append(key, ' '), ev.Node)
	if ev.Peer >= 0 {
		key = AppendNode(append(key, "<-"...), ev.Peer)
	}
	return key
}

// AppendNode appends the name of a node, such as n3.
func AppendNode(buf []byte, id sim.NodeID) []byte {
	return strconv.AppendInt(append(buf, 'n'), int64(id), 10)
}
