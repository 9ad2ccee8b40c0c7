package bubble

import (
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/macemc/macemc/bubble/internal/payload"
	"github.com/macemc/macemc/sim"
)

// Message is a datagram or a part of a connection.
type Message struct {
	Kind     Kind
	Conn     ConnID // except for datagrams
	Back     bool   // whether the dialled end sent it
	From, To int    // ports, for datagrams and dials; To is the number of bytes of a window
	Data     string // for datagrams and data
	TOS      int    // type of service of a datagram, or its traffic class
	Loop     bool   // of datagrams and dials: sent to a loopback address of the node
}

// Kind is the kind of a message.
type Kind uint8

const (
	Datagram Kind = iota
	Dial          // requests a connection
	Accept        // the connection is established
	Refuse        // the connection is refused
	Data          // bytes of a connection
	Finish        // the sender has closed its write side
	Reset         // the connection is broken
	Window        // bytes of the peer were read
)

func (k Kind) String() string {
	return [...]string{"datagram", "dial", "accept", "refuse", "data", "finish", "reset", "window"}[k]
}

// Control implements [simext.Control]. Errors of connections are not control.
func (m Message) Control() bool {
	return m.Kind == Dial || m.Kind == Accept || m.Kind == Finish || m.Kind == Window
}

// ConnID identifies a connection by the dialling node, that node's number of earlier boots, and a sequence number.
type ConnID struct {
	Node, Boot int
	Number     int
}

func (c ConnID) String() string { return fmt.Sprintf("c%d.%d.%d", c.Node, c.Boot, c.Number) }

// String formats the message. Data of known protocols is decoded, and other data is truncated. Long data is followed by its hash, so that
// different messages stay distinguishable.
func (m Message) String() string {
	return m.text(func(m Message) (string, bool) { return payload.Decode(m.Data) })
}

// ShowBy returns [Rules] for a system whose traces show the data of a message as decode describes it. Where decode returns false, the data
// is shown as without it. decode must be deterministic. It sees one message at a time: a part of a connection, as a program wrote it.
func ShowBy(decode func(m Message) (text string, ok bool)) []sim.StateRule {
	return append(Rules[:len(Rules)-1:len(Rules)-1], sim.ShowBy(func(m Message) string {
		return m.text(func(m Message) (string, bool) {
			if text, ok := decode(m); ok {
				return text, true
			}
			return payload.Decode(m.Data)
		})
	}))
}

func (m Message) text(decode func(Message) (string, bool)) string {
	text := m.Kind.String()
	switch m.Kind {
	case Datagram:
		text += fmt.Sprintf(" %d>%d", m.From, m.To)
	case Dial:
		text += fmt.Sprintf(" %v %d>%d", m.Conn, m.From, m.To)
	case Window:
		text += fmt.Sprintf(" %v +%d", m.Conn, m.To)
	default:
		text += " " + m.Conn.String()
	}
	if m.Back {
		text += " back"
	}
	if m.Data == "" {
		return text
	}
	content, ok := decode(m)
	if !ok {
		content = payload.Quote(m.Data)
	}
	text += " " + content
	if len(m.Data) > payload.Shown {
		text += fmt.Sprintf(" %d bytes #%016x", len(m.Data), xxhash.Sum64String(m.Data))
	}
	return text
}
