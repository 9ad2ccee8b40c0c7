package testsched

import (
	"encoding/binary"
	"errors"
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

// lengthBytes is the size of the length that precedes a message.
const lengthBytes = 4

// maxLength is the maximum length of a message. Text that a test writes to the descriptor exceeds it.
const maxLength = 1<<29 - 1

var errTooLong = errors.New("a message is too long")

// Send sends a message: a pointer to a Call, a Request or a Response.
func (c *Connection) Send(m any) error {
	c.out.bytes = append(c.out.bytes[:0], make([]byte, lengthBytes)...)
	c.out.message(m)
	if len(c.out.bytes)-lengthBytes > maxLength {
		return errTooLong
	}
	binary.LittleEndian.PutUint32(c.out.bytes, uint32(len(c.out.bytes)-lengthBytes))
	_, err := c.stream.Write(c.out.bytes)
	return err
}

// Receive receives a message into m.
func (c *Connection) Receive(m any) error {
	var length [lengthBytes]byte
	if _, err := io.ReadFull(c.stream, length[:]); err != nil {
		return err
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > maxLength {
		return ErrDamaged
	}
	c.in.bytes = make([]byte, n)
	if _, err := io.ReadFull(c.stream, c.in.bytes); err != nil {
		return err
	}
	if c.in.message(m); c.in.failed || len(c.in.bytes) > 0 {
		return ErrDamaged
	}
	return nil
}
