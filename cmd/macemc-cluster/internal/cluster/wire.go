package cluster

import (
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/superstep"
)

// envelope is any message between members other than a batch.
type envelope struct {
	From  sim.NodeID       `json:"from"`
	Hello *superstep.Hello `json:"hello,omitempty"`
	Go    *superstep.Go    `json:"go,omitempty"`
	Ended *superstep.Ended `json:"ended,omitempty"`
	Done  *done            `json:"done,omitempty"`
	Lost  *superstep.Lost  `json:"lost,omitempty"`
	Halt  *superstep.Halt  `json:"halt,omitempty"`
}

// done adds the numbers of blocks in the logs to a report.
type done struct {
	superstep.Done
	Blocks []int `json:"blocks"`
}

var errGarbage = errors.New("it is not from this program")

// encodeMessage encodes a message.
func encodeMessage(from sim.NodeID, msg any) ([]byte, error) {
	n := envelope{From: from}
	switch m := msg.(type) {
	case superstep.Batch:
		buf := binary.AppendUvarint([]byte{0}, uint64(from))
		for _, v := range []int{m.K, m.Epoch, m.Seq} {
			buf = binary.AppendUvarint(buf, uint64(v))
		}
		return append(buf, m.Content.([]byte)...), nil
	case superstep.Hello:
		n.Hello = &m
	case superstep.Go:
		n.Go = &m
	case superstep.Ended:
		n.Ended = &m
	case done:
		n.Done = &m
	case superstep.Lost:
		n.Lost = &m
	case superstep.Halt:
		n.Halt = &m
	default:
		return nil, errGarbage
	}
	return json.Marshal(n)
}

// decodeMessage decodes a message from untrusted data.
func decodeMessage(buf []byte) (from sim.NodeID, msg any, err error) {
	if len(buf) > 0 && buf[0] == 0 {
		buf = buf[1:]
		var v [4]int
		for i := range v {
			n, k := binary.Uvarint(buf)
			if k <= 0 || n > 1<<40 {
				return 0, nil, errGarbage
			}
			v[i], buf = int(n), buf[k:]
		}
		return check(sim.NodeID(v[0]), superstep.Batch{K: v[1], Epoch: v[2], Seq: v[3], Content: buf})
	}
	var n envelope
	if json.Unmarshal(buf, &n) != nil {
		return 0, nil, errGarbage
	}
	switch {
	case n.Hello != nil && n.Hello.Inc > 0:
		return check(n.From, *n.Hello)
	case n.Go != nil && fits(&n.Go.Commit):
		return check(n.From, *n.Go)
	case n.Ended != nil:
		return check(n.From, *n.Ended)
	case n.Done != nil && len(n.Done.Next) == parts && len(n.Done.Len) == parts && len(n.Done.Edges) == parts && len(n.Done.Blocks) == parts:
		return check(n.From, *n.Done)
	case n.Lost != nil:
		return check(n.From, *n.Lost)
	case n.Halt != nil && n.Halt.Why != "":
		return 0, *n.Halt, nil // of a client
	}
	return 0, nil, errGarbage
}

func check(from sim.NodeID, msg any) (sim.NodeID, any, error) {
	if from < 1 || from > members {
		return 0, nil, errGarbage
	}
	return from, msg, nil
}

// fits reports whether a commit has the sizes of this program.
func fits(c *superstep.Commit) bool {
	return len(c.Incs) == members && len(c.Owner) == parts && len(c.Next) == parts && len(c.Until) == parts && len(c.Len) == parts &&
		len(c.Edges) == parts
}
