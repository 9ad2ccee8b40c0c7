package testsched

import (
	"encoding/binary"
	"io"
)

// Connection carries the messages between the explorer and a process of a test binary.
type Connection struct {
	stream  io.ReadWriter
	in, out coder
}

// Connect returns the connection over a stream.
func Connect(stream io.ReadWriter) *Connection {
	return &Connection{stream: stream, in: coder{decodes: true}}
}

// message is a Call, a Request or a Response.
type message interface{ code(*coder) }

// lengthBytes is the size of the length that precedes a message.
const lengthBytes = 4

// Send sends a message.
func (c *Connection) Send(m message) error {
	c.out.bytes = append(c.out.bytes[:0], make([]byte, lengthBytes)...)
	m.code(&c.out)
	binary.LittleEndian.PutUint32(c.out.bytes, uint32(len(c.out.bytes)-lengthBytes))
	_, err := c.stream.Write(c.out.bytes)
	return err
}

// Receive receives a message.
func (c *Connection) Receive(m message) error {
	var length [lengthBytes]byte
	if _, err := io.ReadFull(c.stream, length[:]); err != nil {
		return err
	}
	c.in.bytes = make([]byte, binary.LittleEndian.Uint32(length[:]))
	if _, err := io.ReadFull(c.stream, c.in.bytes); err != nil {
		return err
	}
	if m.code(&c.in); c.in.failed || len(c.in.bytes) > 0 {
		return errDamaged
	}
	return nil
}
