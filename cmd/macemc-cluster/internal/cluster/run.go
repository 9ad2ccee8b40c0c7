package cluster

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/macemc/macemc/internal/eventkind"
	"github.com/macemc/macemc/systems/superstep"
)

const (
	parts   = 12 // up to six workers own equal numbers of parts, and more own almost equal ones
	members = 32 // maximum total number of working processes

	leaseTime = 3 * time.Second
	patience  = 3 * time.Second // with one answer of the server
)

// Manifest describes a search.
type Manifest struct {
	ID      string          `json:"id"`    // of the run, in every subject
	Build   string          `json:"build"` // of all participants
	Title   string          `json:"title"`
	Job     json.RawMessage `json:"job"` // a worker makes the system from the job
	Visited string          `json:"visited"`
	Depth   int             `json:"depth,omitempty"`
	Parts   int             `json:"parts"`
	Cut     []int           `json:"cut,omitempty"` // how states are partitioned, see [shard.Cut]
	// Replicas is the number of servers that store each thing; 0 means one.
	Replicas int  `json:"replicas,omitempty"`
	Contain  bool `json:"contain,omitempty"` // contain checked code that does not return, see [kernel.Options]
	// Weightless are events that do not count as a way to a live state, see [options.Options].
	Weightless []eventkind.Kind `json:"weightless,omitempty"`
}

// run is a process's view of a run. Members and searches embed it.
type run struct {
	Manifest
	nc       *nats.Conn
	js       jetstream.JetStream
	keys     jetstream.KeyValue
	log      jetstream.Stream
	seen     [parts]seen
	reported [parts]length // reported by others, about the logs of their parts
	known    revision      // of the commit
}

// length is the number of states of a log at some number of blocks. It is immutable.
type length struct{ blocks, states int }

// seen is the known state of the log of a part.
type seen struct {
	blocks []blockAt
	len    int    // number of states
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
	runPrefix  = "macemc-"
	commitKey  = "commit"
	leaseKey   = "lease"
)

func (m *Manifest) subject(of string) string { return "macemc." + m.ID + "." + of }
func (m *Manifest) bucket() string           { return runPrefix + m.ID }

func (m *Manifest) logSubject(part int) string { return m.subject(fmt.Sprintf("log.%d", part)) }

func newID() string {
	b := make([]byte, 6)
	rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// within limits the time of a request to the server.
func within(ctx context.Context, f func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return f(ctx)
}

// sleep waits. It returns false if ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

const electing = 20 * time.Second // servers may need that long to elect a leader

// eventually repeats a request to the server until it answers, or is known to be unable to.
func eventually(ctx context.Context, f func(context.Context) error) error {
	for began := time.Now(); ; {
		err := within(ctx, f)
		if err == nil || ctx.Err() != nil || conflict(err) || gone(err) || !retried(err) || time.Since(began) > electing {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// eventually repeats a request about the run until the server answers, or the run was removed. Requests about a
// removed run may just time out.
func (r *run) eventually(ctx context.Context, f func(context.Context) error) error {
	return eventually(ctx, func(limited context.Context) error {
		err := f(limited)
		if err != nil && !conflict(err) && !gone(err) && r.withdrawn(ctx) {
			return fmt.Errorf("%w (%w)", errRemoved, err)
		}
		return err
	})
}

// replicas returns the number of servers that store everything: the wanted number, or if that is 0, three if there
// are several.
func replicas(nc *nats.Conn, wanted int) (int, error) {
	servers := len(nc.Servers())
	switch {
	case wanted == 3 && servers < 3:
		return 0, fmt.Errorf("three servers must store the search, but there are %d; start more, or use --replicas 1", servers)
	case wanted == 0 && servers >= 3:
		return 3, nil
	}
	return cmp.Or(wanted, 1), nil
}

// createKeys creates a bucket. Of several servers the leader answers, since others may lack the last changes.
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

// open opens a run.
func open(ctx context.Context, nc *nats.Conn, m Manifest) (*run, error) {
	r := &run{Manifest: m, nc: nc}
	if m.Parts != parts {
		return nil, fmt.Errorf("run %s has %d parts, but this program supports %d", m.ID, m.Parts, parts)
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

// create begins a run with empty logs.
func create(ctx context.Context, nc *nats.Conn, m Manifest) (*run, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	err = eventually(ctx, func(ctx context.Context) error {
		_, err := js.CreateStream(ctx, jetstream.StreamConfig{
			Name: m.bucket() + "-log", Subjects: []string{m.subject("log.*")}, Storage: jetstream.FileStorage,
			AllowDirect: m.Replicas == 1, Replicas: m.Replicas, // of several the leader answers
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

// remove deletes all stored data of a run.
func (r *run) remove(ctx context.Context) error {
	return errors.Join(
		eventually(ctx, func(ctx context.Context) error { return r.js.DeleteKeyValue(ctx, r.bucket()) }),
		eventually(ctx, func(ctx context.Context) error { return r.js.DeleteStream(ctx, r.bucket()+"-log") }),
	)
}

// commit returns the current commit.
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
			return errors.New("the commit is not from this program")
		}
		r.known = revision{e.Revision(), c.Rev}
		return nil
	})
	return c, err
}

// swap replaces the last read commit, if it is still current. Call commit for the result.
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

// conflict reports whether another process was first.
func conflict(err error) bool {
	var api *jetstream.APIError
	return errors.Is(err, jetstream.ErrKeyExists) ||
		errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
			api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// outOfRoom reports whether the server has no room for more data.
func outOfRoom(err error) bool {
	api, ok := errors.AsType[*jetstream.APIError](err)
	return ok && slices.Contains([]jetstream.ErrorCode{errNoRoom, errNoStorage, errNoAccount}, api.ErrorCode)
}

// reportFull notifies the search if an error reports that the server has no room.
func (r *run) reportFull(err error) {
	if outOfRoom(err) {
		_ = r.nc.Publish(r.subject(fullSubject), nil) // it is repeated the next time
	}
}

// Error codes of the server, see its jetstream_errors_generated.go.
const (
	errNoAccount jetstream.ErrorCode = 10002
	errNoRoom    jetstream.ErrorCode = 10023
	errNoStorage jetstream.ErrorCode = 10047
)

// withdrawn reports whether a run is not the current one of the server any more.
func (r *run) withdrawn(ctx context.Context) bool {
	now, err := current(ctx, r.nc)
	return err == nil && (now == nil || now.ID != r.ID)
}

var errRemoved = errors.New("the search was removed")

// gone reports whether an error reports a removed run.
func gone(err error) bool {
	return errors.Is(err, errRemoved) || errors.Is(err, jetstream.ErrBucketNotFound) ||
		errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrKeyNotFound)
}
