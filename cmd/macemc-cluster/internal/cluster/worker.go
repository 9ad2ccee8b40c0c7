package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/kernel"
	"github.com/macemc/macemc/internal/kernel/contain"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/sim"
)

// Worker takes part in the searches of a server.
type Worker struct {
	URL      string
	Security Security
	Build    string // of this program
	Memory   int    // approximate limit in bytes; 0 means no limit
	// Job makes the system of a job, and the function that ends checked code that does not return, see
	// [kernel.Options].
	Job func(job json.RawMessage) (sys *sim.System, overdue func(ticks int) bool, err error)
	Log *slog.Logger
	// Mark, if not nil, is called with the part and number of a state before its expansion, and with nothing set
	// after it.
	Mark func(part, number uint32, nothing bool)
}

// Work takes part in searches until ctx is done or the worker is drained, and then hands over its parts. It waits for a
// search if there is none. The error describes why it cannot take part.
func (w *Worker) Work(ctx context.Context) error {
	nc, err := w.connect(ctx)
	if err != nil || nc == nil {
		return err
	}
	defer nc.Close()
	w.Log.Info("waiting for a search", "server", w.URL)
	last := ""
	for ctx.Err() == nil {
		m, err := current(ctx, nc)
		if err == nil && m != nil && m.ID != last {
			last = m.ID
			left, err := w.takePart(ctx, nc, *m)
			if err != nil && ctx.Err() == nil {
				level := slog.LevelError
				if gone(err) {
					level = slog.LevelInfo // as searches end
				}
				w.Log.Log(ctx, level, "not taking part in the search", "run", m.ID, "why", err)
			}
			if left {
				return nil
			}
			continue
		}
		sleep(ctx, 200*time.Millisecond)
	}
	return nil
}

// connect waits for the server. It returns nil if ctx ends first.
func (w *Worker) connect(ctx context.Context) (*nats.Conn, error) {
	for reported := false; ; reported = true {
		nc, err := connect(w.URL, w.Security)
		if err == nil || !absent(err) {
			return nc, err
		}
		if !reported {
			w.Log.Warn("no server yet: waiting for it", "server", w.URL, "why", err)
		}
		if !sleep(ctx, 500*time.Millisecond) {
			return nil, nil
		}
	}
}

// farewell is the maximum time that an ended worker may take to hand over its parts.
const farewell = 5 * time.Second

// takePart takes part in one search. Left reports that the worker was drained.
func (w *Worker) takePart(until context.Context, nc *nats.Conn, m Manifest) (left bool, err error) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(until))
	defer cancel()
	if m.Build != w.Build {
		return false, fmt.Errorf("it belongs to another program (%s, this one is %s): all processes must be of the same program",
			m.Build, w.Build)
	}
	r, err := open(until, nc, m)
	if err != nil {
		return false, err
	}
	sys, overdue, err := w.Job(m.Job)
	if err != nil {
		return false, err
	}
	opts := options.Options{Weightless: m.Weightless,
		World: kernel.Options{Overdue: overdue, Contain: m.Contain, Heartbeat: new(contain.Heartbeat)}}
	if opts.Visited, err = stateset.Named(m.Visited); err != nil {
		return false, err
	}
	self, err := r.enlist(until)
	if err != nil {
		return false, err
	}
	member, err := join(ctx, r, self, w.Log, func(mem *member) (*data, error) {
		d, err := newData(mem, sys, opts)
		if d != nil {
			d.memory, d.mark = w.Memory, w.Mark
			if w.Mark != nil {
				d.shard.Mark = func(part, number uint32) { w.Mark(part, number, false) }
			}
		}
		return d, err
	})
	if err != nil {
		return false, err
	}
	defer context.AfterFunc(until, func() {
		member.leave()
		time.AfterFunc(farewell, cancel)
	})()
	w.Log.Info("searching", "run", m.ID, "what", m.Title, "worker", int(member.self))
	ended, working := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(ended)
		if found := contain.Guard(func() { working <- member.work() }); found != nil {
			working <- member.stuck(found.Message)
		}
	}()
	if overdue == nil {
		<-ended
	} else if !opts.World.Heartbeat.Returned(ended, overdue) {
		working <- member.stuck("a property does not return") // what was abandoned ends when the property returns
	}
	if err := <-working; err != nil {
		return false, err
	}
	switch c, moved := &member.core.Worker.Commit, &member.data.moved; {
	case member.core.Leaves && member.core.Over:
		w.Log.Info("all parts were given away", "run", m.ID, "worker", int(member.self), "superstep", c.K)
	case ctx.Err() == nil:
		w.Log.Info("the search has ended", "run", m.ID, "supersteps", c.K, "epochs", c.Epoch,
			"sent", moved.states, "bytes", moved.bytes, "logged", moved.logged, "logbytes", moved.logBytes, "compared", moved.compared)
	}
	return member.core.Leaves, nil
}

// current returns the search of a server, or nil if there is none.
func current(ctx context.Context, nc *nats.Conn) (*Manifest, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	var m *Manifest
	return m, within(ctx, func(ctx context.Context) error {
		keys, err := js.KeyValue(ctx, runsBucket)
		if errors.Is(err, jetstream.ErrBucketNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		e, err := keys.Get(ctx, runKey)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		m = new(Manifest)
		return json.Unmarshal(e.Value(), m)
	})
}
