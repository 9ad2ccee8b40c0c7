package cluster

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc64"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
)

// A block of a log is the number of its first state, its number of states, the checksum of all blocks up to it, and
// the states.
type block struct {
	first, n int
	states   []byte // in the encoding of [shard.Pack]
}

var crcTable = crc64.MakeTable(crc64.ECMA)

func (b *block) encode(before uint64) (text []byte, sum uint64) {
	head := binary.AppendUvarint(binary.AppendUvarint(nil, uint64(b.first)), uint64(b.n))
	sum = crc64.Update(crc64.Update(before, crcTable, head), crcTable, b.states)
	return append(binary.LittleEndian.AppendUint64(head, sum), b.states...), sum
}

func decode(text []byte) (b block, sum uint64, err error) {
	first, k := binary.Uvarint(text)
	if k <= 0 {
		return b, 0, errDamaged
	}
	n, l := binary.Uvarint(text[k:])
	if l <= 0 || len(text) < k+l+8 || first > 1<<40 || n > largest {
		return b, 0, errDamaged
	}
	return block{int(first), int(n), text[k+l+8:]}, binary.LittleEndian.Uint64(text[k+l:]), nil
}

var errDamaged = errors.New("a block of a log is damaged")

// next reads the next block of a part's log. It returns false if there is none.
func (r *run) next(ctx context.Context, part int) (b block, ok bool, err error) {
	at := &r.seen[part]
	var msg *jetstream.RawStreamMsg
	err = within(ctx, func(ctx context.Context) error {
		msg, err = r.log.GetMsg(ctx, at.last+1, jetstream.WithGetMsgSubject(r.logSubject(part)))
		return err
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return b, false, nil
	}
	if err != nil {
		return b, false, err
	}
	b, sum, err := decode(msg.Data)
	if err != nil {
		return b, false, err
	}
	if _, want := b.encode(at.sum); sum != want || b.first != at.len {
		return b, false, fmt.Errorf("part %d, state %d: %w", part, at.len, errDamaged)
	}
	at.saw(b, msg.Sequence, sum)
	return b, true, nil
}

func (s *seen) saw(b block, seq, sum uint64) {
	s.blocks = append(s.blocks, blockAt{b.first, seq})
	s.len, s.last, s.sum = b.first+b.n, seq, sum
}

// read reads a block again.
func (r *run) read(ctx context.Context, part, i int) (b block, err error) {
	err = within(ctx, func(ctx context.Context) error {
		msg, err := r.log.GetMsg(ctx, r.seen[part].blocks[i].seq)
		if err != nil {
			return err
		}
		b, _, err = decode(msg.Data)
		return err
	})
	return b, err
}

// append adds a block after the last one seen. It returns false if another member did so first.
func (r *run) append(ctx context.Context, part int, b block) (ok bool, err error) {
	at := &r.seen[part]
	text, sum := b.encode(at.sum)
	err = within(ctx, func(ctx context.Context) error {
		ack, err := r.js.Publish(ctx, r.logSubject(part), text, jetstream.WithExpectLastSequencePerSubject(at.last))
		if err == nil {
			at.saw(b, ack.Sequence, sum)
		}
		return err
	})
	if conflict(err) {
		return false, nil
	}
	return err == nil, err
}

// end returns the last block of a part's log: its number in the stream (0 for none), and the number of states up to
// it.
func (r *run) end(ctx context.Context, part int) (seq uint64, n int, err error) {
	err = within(ctx, func(ctx context.Context) error {
		msg, err := r.log.GetLastMsgForSubject(ctx, r.logSubject(part))
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		b, _, err := decode(msg.Data)
		seq, n = msg.Sequence, b.first+b.n
		return err
	})
	return seq, n, err
}

// lens returns the number of states in each log. It reads a block only if the log has grown.
func (r *run) lens(ctx context.Context) ([]int, error) {
	var info *jetstream.StreamInfo
	err := within(ctx, func(ctx context.Context) (err error) {
		info, err = r.log.Info(ctx, jetstream.WithSubjectFilter(r.subject("log.*")))
		return err
	})
	if err != nil {
		return nil, err
	}
	lens := make([]int, parts)
	for i := range lens {
		blocks, own := int(info.State.Subjects[r.logSubject(i)]), r.seen[i].length()
		switch blocks {
		case own.blocks:
			lens[i] = own.states
		case r.reported[i].blocks:
			lens[i] = r.reported[i].states
		default:
			if _, lens[i], err = r.end(ctx, i); err != nil {
				return nil, err
			}
		}
	}
	return lens, nil
}

func (s *seen) length() length { return length{len(s.blocks), s.len} }

// blockOf returns the block of a part's log that contains a state.
func (r *run) blockOf(ctx context.Context, part, number int) (block, error) {
	at := &r.seen[part]
	for number >= at.len {
		if b, ok, err := r.next(ctx, part); err != nil || !ok {
			return b, cmp.Or(err, fmt.Errorf("part %d has no state %d yet", part, number))
		}
	}
	i, _ := slices.BinarySearchFunc(at.blocks, number+1, func(b blockAt, n int) int { return cmp.Compare(b.first, n) })
	return r.read(ctx, part, i-1)
}
