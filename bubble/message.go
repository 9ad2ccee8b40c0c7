package bubble

import (
	"fmt"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// Message is what nodes send each other: a datagram, or a part of a connection.
type Message struct {
	Kind     Kind
	Conn     ConnID // of all but datagrams
	Back     bool   // from the end that was dialled
	From, To int    // ports, of datagrams and dials
	Data     string // of datagrams and data
}

// Kind is the kind of a message.
type Kind uint8

const (
	Datagram Kind = iota
	Dial          // somebody wants to connect
	Accept        // he is connected
	Refuse        // he is not
	Data          // bytes of a connection
	Finish        // no more bytes come
	Reset         // the connection is broken
)

func (k Kind) String() string {
	return [...]string{"datagram", "dial", "accept", "refuse", "data", "finish", "reset"}[k]
}

// ConnID names a connection: by the node that dialled, how often it had booted then, and a number.
type ConnID struct {
	Node, Boot int
	Number     int
}

func (c ConnID) String() string { return fmt.Sprintf("c%d.%d.%d", c.Node, c.Boot, c.Number) }

// shown is how many bytes of a message are shown.
const shown = 24

// String tells messages apart: of long data a hash is part of it.
func (m Message) String() string {
	text := m.Kind.String()
	switch m.Kind {
	case Datagram:
		text += fmt.Sprintf(" %d>%d", m.From, m.To)
	case Dial:
		text += fmt.Sprintf(" %v %d>%d", m.Conn, m.From, m.To)
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
