package realnet

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"slices"

	"github.com/macemc/macemc/sim"
)

// A connection carries frames: length (4 bytes, little endian), type, content. A datagram is one message: magic,
// CRC-32C of the rest, sender, its incarnation, number, message.

const (
	helloFrame   byte = iota + 1 // identifies the dialler
	welcomeFrame                 // the dialled node accepts the connection
	busyFrame                    // it rejects it: it dials itself, and has the lower number
	messageFrame                 // number, message
	ackFrame                     // number of delivered messages of the connection
	closeFrame                   // the sender has closed the stream
)

const (
	frameHead     = 5
	datagramMagic = 0x3143434d // "MCC1"
)

var errFrame = errors.New("invalid frame")

// hello is the first frame of the dialler, and welcome the answer.
type hello struct {
	system, codec uint64
	from, to      sim.NodeID
	incarnation   uint64
	attempt       uint64 // counts the dialler's attempts to this peer
}

type welcome struct {
	incarnation uint64
	abandoned   uint64 // the dialled node has given up its attempts up to this one
}

func appendFrame(b []byte, kind byte, content ...[]byte) []byte {
	n := 1
	for _, c := range content {
		n += len(c)
	}
	b = binary.LittleEndian.AppendUint32(b, uint32(n))
	b = append(b, kind)
	for _, c := range content {
		b = append(b, c...)
	}
	return b
}

func appendNumbers(b []byte, numbers ...uint64) []byte {
	for _, n := range numbers {
		b = binary.AppendUvarint(b, n)
	}
	return b
}

func takeNumbers(b []byte, numbers ...*uint64) (rest []byte, err error) {
	for _, n := range numbers {
		v, size := binary.Uvarint(b)
		if size <= 0 {
			return nil, errFrame
		}
		*n, b = v, b[size:]
	}
	return b, nil
}

func (h *hello) append(b []byte) []byte {
	return appendFrame(b, helloFrame, appendNumbers(nil, h.system, h.codec, uint64(h.from), uint64(h.to), h.incarnation, h.attempt))
}

func (h *hello) parse(b []byte) error {
	var from, to uint64
	_, err := takeNumbers(b, &h.system, &h.codec, &from, &to, &h.incarnation, &h.attempt)
	h.from, h.to = sim.NodeID(from), sim.NodeID(to)
	return err
}

// readFrame reads a frame of at most most bytes. The content is a part of the buffer.
func readFrame(r *bufio.Reader, buf []byte, most int) (kind byte, content, next []byte, err error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return 0, nil, buf, err
	}
	n := int(binary.LittleEndian.Uint32(head[:])) - 1
	if n < 0 || n > most {
		return 0, nil, buf, fmt.Errorf("%w: it claims %d bytes", errFrame, n)
	}
	if n > cap(buf) {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	if _, err := io.ReadFull(r, buf); err != nil {
		return 0, nil, buf, err
	}
	return head[4], buf, buf, nil
}

func appendDatagram(b []byte, system uint64, from sim.NodeID, incarnation, number uint64, msg []byte) []byte {
	at := len(b)
	b = slices.Grow(b, 8+4*binary.MaxVarintLen64+len(msg))
	b = binary.LittleEndian.AppendUint32(b, datagramMagic)
	b = append(b, 0, 0, 0, 0)
	b = append(appendNumbers(b, system, uint64(from), incarnation, number), msg...)
	binary.LittleEndian.PutUint32(b[at+4:], crc32.Checksum(b[at+8:], castagnoli))
	return b
}

// parseDatagram decodes a datagram; msg is a part of b.
func parseDatagram(b []byte) (system uint64, from sim.NodeID, incarnation, number uint64, msg []byte, ok bool) {
	if len(b) < 8 || binary.LittleEndian.Uint32(b) != datagramMagic ||
		binary.LittleEndian.Uint32(b[4:]) != crc32.Checksum(b[8:], castagnoli) {
		return 0, 0, 0, 0, nil, false
	}
	var sender uint64
	msg, err := takeNumbers(b[8:], &system, &sender, &incarnation, &number)
	if sender > 1<<30 {
		return 0, 0, 0, 0, nil, false
	}
	return system, sim.NodeID(sender), incarnation, number, msg, err == nil
}
