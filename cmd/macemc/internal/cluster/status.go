package cluster

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go"
)

// Status is how far a search is.
type Status struct {
	Run         string         `json:"run"` // "": none goes on
	System      string         `json:"system"`
	States      int            `json:"states"`
	Waiting     int            `json:"waiting"` // for their steps to be taken
	Transitions int            `json:"transitions"`
	Depth       int            `json:"depth"` // all states that are nearer have been expanded
	Superstep   int            `json:"superstep"`
	Epoch       int            `json:"epoch"`
	Workers     []WorkerStatus `json:"workers"`
}

// WorkerStatus is what one worker has.
type WorkerStatus struct {
	Worker  int    `json:"worker"`
	Process string `json:"process"` // host and process ID
	Leads   bool   `json:"leads"`
	Parts   int    `json:"parts"`
	States  int    `json:"states"`
}

// at does something with the run at a server; nil: there is none.
func at(ctx context.Context, url string, s Security, do func(nc *nats.Conn, r *run) error) error {
	nc, err := connect(url, s)
	if err != nil {
		return err
	}
	defer nc.Close()
	m, err := current(ctx, nc)
	if err != nil {
		return err
	}
	if m == nil {
		return nil
	}
	r, err := open(ctx, nc, *m)
	if err != nil {
		return err
	}
	return do(nc, r)
}

// StatusOf is how far the search at a server is.
func StatusOf(ctx context.Context, url string, s Security) (st Status, err error) {
	st.Workers = []WorkerStatus{}
	return st, at(ctx, url, s, func(_ *nats.Conn, r *run) error {
		c, err := r.commit(ctx)
		if err != nil {
			return err
		}
		st.Run, st.System, st.Depth, st.Superstep, st.Epoch = r.ID, r.Title, c.Level, c.K, c.Epoch
		st.States, st.Transitions = total(c.Len), total(c.Edges)
		st.Waiting = st.States - total(c.Next)
		for i, inc := range c.Incs {
			if inc == 0 {
				continue
			}
			w := WorkerStatus{Worker: i + 1, Leads: int(c.Leader) == i+1}
			if e, err := r.keys.Get(ctx, memberKey(w.Worker)); err == nil {
				w.Process = string(e.Value())
			}
			for part, owner := range c.Owner {
				if int(owner) == w.Worker {
					w.Parts++
					w.States += c.Len[part]
				}
			}
			st.Workers = append(st.Workers, w)
		}
		return nil
	})
}

// Abort removes the run at a server, and returns its ID; "": there is none.
func Abort(ctx context.Context, url string, s Security) (id string, err error) {
	return id, at(ctx, url, s, func(nc *nats.Conn, r *run) error {
		id = r.ID
		return errors.Join(withdraw(ctx, nc), r.remove(ctx))
	})
}
