package bubble

import (
	"fmt"

	"github.com/cespare/xxhash/v2"

	"github.com/macemc/macemc/bubble/internal/payload"
)

// Message is a datagram or a part of a connection.
type Message struct {
	Kind     Kind
	Conn     ConnID // except for datagrams
	Back     bool   // whether the dialled end sent it
	From, To int    // ports, for datagrams and dials; To is the number of bytes of a window
	Data     string // for datagrams and data
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

// ConnID identifies a connection by the dialling node, that node's number of earlier boots, and a sequence number.
type ConnID struct {
	Node, Boot int
	Number     int
}

func (c ConnID) String() string { return fmt.Sprintf("c%d.%d.%d", c.Node, c.Boot, c.Number) }

// String formats the message. Data of known protocols is decoded, and other data is truncated. Long data is followed by its hash, so that
// different messages stay distinguishable.
func (m Message) String() string {
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
	content, ok := payload.Decode(m.Data)
	if !ok {
		content = payload.Quote(m.Data)
	}
	text += " " + content
	if len(m.Data) > payload.Shown {
		text += fmt.Sprintf(" %d bytes #%016x", len(m.Data), xxhash.Sum64String(m.Data))
	}
	return text
}
