package bubble

import (
	"fmt"
	"strconv"

	"github.com/cespare/xxhash/v2"
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

// shown is the number of data bytes that String prints.
const shown = 24

// String formats the message. Long data is truncated and followed by its hash, so that different messages stay distinguishable.
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
	switch {
	case m.Data == "":
	case len(m.Data) <= shown:
		text += " " + strconv.Quote(m.Data)
	default:
		text += fmt.Sprintf(" %s.. %d bytes #%016x", strconv.Quote(m.Data[:shown]), len(m.Data), xxhash.Sum64String(m.Data))
	}
	return text
}
