package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc64"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/macemc/macemc/sim"
	"github.com/macemc/macemc/systems/superstep"
)

const (
	parts   = 12 // so that up to six workers have as many each, and others nearly
	members = 32 // lives of workers, all told

	leaseTime = 3 * time.Second
	patience  = 3 * time.Second // with one answer of the server
)

// Manifest says what is searched.
type Manifest struct {
	ID      string          `json:"id"`    // of the run: in every subject
	Build   string          `json:"build"` // of all that take part
	Title   string          `json:"title"`
	Job     json.RawMessage `json:"job"` // of which a worker makes the system
	Visited string          `json:"visited"`
	Depth   int             `json:"depth,omitempty"`
	Parts   int             `json:"parts"`
	Cut     []int           `json:"cut,omitempty"` // by what states are in parts, see [table.Cut]
	// Replicas is how many servers keep each thing; 0: one.
	Replicas int  `json:"replicas,omitempty"`
	Contain  bool `json:"contain,omitempty"` // checked code that does not come back, see [kernel.Options]
	// Weightless are events that are no way to a live state, see [table.ExploreOptions].
	Weightless []sim.EventKind `json:"weightless,omitempty"`
}

// run is a process's view of a run.
type run struct {
	Manifest
	nc    *nats.Conn
	js    jetstream.JetStream
	keys  jetstream.KeyValue
	log   jetstream.Stream
	seen  [parts]seen
	told  [parts]length // by others, of the logs of their parts
	known revision      // of the commit
}

// length is that of a log when it had some number of blocks: it is the same whenever it has as many.
type length struct{ blocks, states int }

// seen is what is known of the log of a part.
type seen struct {
	blocks []blockAt
	len    int    // states in it
	last   uint64 // number in the stream
	sum    uint64 // of all blocks
}

type blockAt struct {
	first int
	seq   uint64
}

type revision struct {
	key    uint64
	commit int // its Rev
}

const (
	runsBucket = "macemc"
	runKey     = "run"
	commitKey  = "commit"
	leaseKey   = "lease"
	pauseKey   = "pause"
)

func (m *Manifest) subject(of string) string { return "macemc." + m.ID + "." + of }
func (m *Manifest) bucket() string           { return "macemc-" + m.ID }

func (m *Manifest) logSubject(part int) string { return m.subject(fmt.Sprintf("log.%d", part)) }

func newID() string {
	b := make([]byte, 6)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// within limits what is asked of the server.
func within(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return f(ctx)
}

const electing = 20 * time.Second // may take servers to agree who leads them

// eventually asks the server until it answers, or it is clear that it cannot.
func eventually(ctx context.Context, f func(context.Context) error) error {
	for began := time.Now(); ; {
		err := within(ctx, f)
		if err == nil || ctx.Err() != nil || conflict(err) || gone(err) || !retried(err) || time.Since(began) > electing {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// replicas is how many servers are to keep what is kept: as many as are wanted, or, when that is 0, of several three.
func replicas(nc *nats.Conn, wanted int) (int, error) {
	servers := len(nc.Servers())
	switch {
	case wanted == 3 && servers < 3:
		return 0, fmt.Errorf("three servers are to keep what is found, and there are %d; start more, or say --replicas 1", servers)
	case wanted == 0 && servers >= 3:
		return 3, nil
	}
	return cmp.Or(wanted, 1), nil
}

// createKeys creates a bucket. Of several servers the one that leads answers, as others may not know of the last changes.
func createKeys(ctx context.Context, js jetstream.JetStream, bucket string, replicas int) (jetstream.KeyValue, error) {
	keys, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: bucket, Storage: jetstream.FileStorage, Replicas: replicas})
	if err != nil || replicas == 1 {
		return keys, err
	}
	s, err := js.Stream(ctx, "KV_"+bucket)
	if err != nil {
		return nil, err
	}
	c := s.CachedInfo().Config
	c.AllowDirect = false
	if _, err := js.UpdateStream(ctx, c); err != nil {
		return nil, err
	}
	return js.KeyValue(ctx, bucket)
}

// open finds a run.
func open(ctx context.Context, nc *nats.Conn, m Manifest) (*run, error) {
	r := &run{Manifest: m, nc: nc}
	if m.Parts != parts {
		return nil, fmt.Errorf("run %s has %d parts; this program is for %d", m.ID, m.Parts, parts)
	}
	return r, eventually(ctx, func(ctx context.Context) (err error) {
		if r.js, err = jetstream.New(nc); err != nil {
			return err
		}
		if r.keys, err = r.js.KeyValue(ctx, m.bucket()); err != nil {
			return err
		}
		r.log, err = r.js.Stream(ctx, m.bucket()+"-log")
		return err
	})
}

// create begins a run whose logs are empty.
func create(ctx context.Context, nc *nats.Conn, m Manifest) (*run, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	err = eventually(ctx, func(ctx context.Context) error {
		_, err := js.CreateStream(ctx, jetstream.StreamConfig{
			Name: m.bucket() + "-log", Subjects: []string{m.subject("log.*")}, Storage: jetstream.FileStorage,
			AllowDirect: m.Replicas == 1, Replicas: m.Replicas, // of several the one that leads answers
		})
		return err
	})
	if err == nil {
		err = eventually(ctx, func(ctx context.Context) error {
			_, err := createKeys(ctx, js, m.bucket(), m.Replicas)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	return open(ctx, nc, m)
}

// remove takes all that was kept of a run away.
func (r *run) remove(ctx context.Context) error {
	return errors.Join(
		eventually(ctx, func(ctx context.Context) error { return r.js.DeleteKeyValue(ctx, r.bucket()) }),
		eventually(ctx, func(ctx context.Context) error { return r.js.DeleteStream(ctx, r.bucket()+"-log") }),
	)
}

// commit is how far the search has come.
func (r *run) commit(ctx context.Context) (c superstep.Commit, err error) {
	err = within(ctx, func(ctx context.Context) error {
		e, err := r.keys.Get(ctx, commitKey)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(e.Value(), &c); err != nil {
			return err
		}
		if len(c.Owner) != parts || len(c.Incs) != members {
			return errors.New("the commit is not one of this program")
		}
		r.known = revision{e.Revision(), c.Rev}
		return nil
	})
	return c, err
}

// swap changes the commit that was read last, if it is still there. What there is then commit tells.
func (r *run) swap(ctx context.Context, c superstep.Commit) error {
	if r.known.commit+1 != c.Rev {
		return nil
	}
	text, err := json.Marshal(c)
	if err != nil {
		return err
	}
	return within(ctx, func(ctx context.Context) error {
		if r.known.key == 0 {
			_, err = r.keys.Create(ctx, commitKey, text)
		} else {
			_, err = r.keys.Update(ctx, commitKey, text, r.known.key)
		}
		if conflict(err) {
			return nil
		}
		return err
	})
}

// halt ends the search without its leader, which may be lost, too.
func (r *run) halt(ctx context.Context, why Why) error {
	for {
		c, err := r.commit(ctx)
		if err != nil || c.End != superstep.Running {
			return err
		}
		c.Rev++
		c.End, c.Why = superstep.Halted, why.String()
		if err := r.swap(ctx, c); err != nil {
			return err
		}
	}
}

// conflict reports whether somebody else was there before.
func conflict(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) ||
		errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// outOfRoom reports whether the server has no room for more.
func outOfRoom(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && slices.Contains([]jetstream.ErrorCode{errNoRoom, errNoStorage, errNoAccount}, api.ErrorCode)
}

// sayFull tells the search, if an error says that the server has no room.
func (r *run) sayFull(err error) {
	if outOfRoom(err) {
		_ = r.nc.Publish(r.subject(fullSubject), nil) // it is said again the next time
	}
}

// Codes of errors of the server, see its jetstream_errors_generated.go.
const (
	errNoAccount jetstream.ErrorCode = 10002
	errNoRoom    jetstream.ErrorCode = 10023
	errNoStorage jetstream.ErrorCode = 10047
)

// gone reports whether a run was removed.
func gone(err error) bool {
	return errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrKeyNotFound)
}

// A block of a log is the number of its first state, how many it has, the checksum of all blocks up to it, and the states.
type block struct {
	first, n int
	states   []byte // as [table.Pack] makes them
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

// next reads the block of a part's log behind those that were seen; false: there is none.
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

// read reads a block that was seen.
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

// append adds a block behind those that were seen; false: another did.
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

// end is the last block of a part's log: its number in the stream, 0: there is none, and how many states there are up to it.
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

// lens are how many states the logs hold. A block is read only of a log that has not as many as it is known by.
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
		case r.told[i].blocks:
			lens[i] = r.told[i].states
		default:
			if _, lens[i], err = r.end(ctx, i); err != nil {
				return nil, err
			}
		}
	}
	return lens, nil
}

func (s *seen) length() length { return length{len(s.blocks), s.len} }

// blockOf is the block of a part's log that a state is in.
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
