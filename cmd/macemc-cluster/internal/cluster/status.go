package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/macemc/macemc/systems/superstep"
)

// Status is the progress of a search.
type Status struct {
	Run         string         `json:"run"` // "" if there is none
	System      string         `json:"system"`
	States      int            `json:"states"`
	Waiting     int            `json:"waiting"` // for expansion
	Transitions int            `json:"transitions"`
	Depth       int            `json:"depth"` // all nearer states are expanded
	Superstep   int            `json:"superstep"`
	Epoch       int            `json:"epoch"`
	Workers     []WorkerStatus `json:"workers"`
	Servers     []ServerStatus `json:"servers"` // that store the log; empty for a single server
}

// ServerStatus is the state of one of several servers.
type ServerStatus struct {
	Name    string `json:"name"`
	Leads   bool   `json:"leads"`
	Offline bool   `json:"offline"`
	Current bool   `json:"current"`
}

// WorkerStatus is the state of one worker.
type WorkerStatus struct {
	Worker  int    `json:"worker"`
	Process string `json:"process"` // host and process ID
	Leads   bool   `json:"leads"`
	Parts   int    `json:"parts"`
	States  int    `json:"states"`
}

// at calls do with the run of a server, or returns nil if there is none.
func at(ctx context.Context, url string, s Security, do func(r *run) error) error {
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
	return do(r)
}

// StatusOf returns the progress of the search of a server.
func StatusOf(ctx context.Context, url string, s Security) (st Status, err error) {
	st.Workers, st.Servers = []WorkerStatus{}, []ServerStatus{}
	return st, at(ctx, url, s, func(r *run) error {
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
		return within(ctx, func(ctx context.Context) error { return st.ask(ctx, r) })
	})
}

// ask adds the servers that store the log.
func (st *Status) ask(ctx context.Context, r *run) error {
	info, err := r.log.Info(ctx)
	if err != nil || info.Cluster == nil || len(info.Cluster.Replicas) == 0 {
		return err
	}
	st.Servers = append(st.Servers, ServerStatus{Name: info.Cluster.Leader, Leads: true, Current: true})
	for _, p := range info.Cluster.Replicas {
		st.Servers = append(st.Servers, ServerStatus{Name: p.Name, Offline: p.Offline, Current: p.Current})
	}
	slices.SortFunc(st.Servers, func(a, b ServerStatus) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}

// Drain makes a worker hand over its parts and end. It returns their number after other workers have taken them.
// The error also reports a worker that does not take part.
func Drain(ctx context.Context, url string, s Security, worker int) (id string, parts int, err error) {
	return id, parts, at(ctx, url, s, func(r *run) error {
		id = r.ID
		announced := false
		for began := time.Now(); ; {
			c, err := r.commit(ctx)
			switch {
			case err != nil:
				return err
			case c.End != superstep.Running:
				return errors.New("the search has ended meanwhile")
			case worker < 1 || worker > members || c.Incs[worker-1] == 0:
				if announced {
					return nil
				}
				return fmt.Errorf("worker %d does not take part; \"macemc cluster status %s\" lists those that do", worker, url)
			case taking(&c) == 1:
				return fmt.Errorf("worker %d is the only one, so no other can take its parts; if it is killed, the search waits for another", worker)
			case !announced:
				announced = true
				for _, owner := range c.Owner {
					if int(owner) == worker {
						parts++
					}
				}
				put := func(ctx context.Context) error { _, err := r.keys.Put(ctx, leaveKey(worker), nil); return err }
				if err := eventually(ctx, put); err != nil {
					return err
				}
			case time.Since(began) > time.Minute:
				return fmt.Errorf("worker %d still takes part after a minute; is it stopped?", worker)
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
}

// Abort removes the run of a server, and the remains of ended ones, and returns their IDs.
func Abort(ctx context.Context, url string, s Security) (ids []string, err error) {
	nc, err := connect(url, s)
	if err != nil {
		return nil, err
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	if m, err := current(ctx, nc); err != nil {
		return nil, err
	} else if m != nil {
		if err := withdraw(ctx, nc); err != nil {
			return nil, err
		}
	}
	var names []string
	err = eventually(ctx, func(ctx context.Context) error {
		names = nil
		list := js.StreamNames(ctx)
		for name := range list.Name() {
			names = append(names, name)
		}
		return list.Err()
	})
	for _, name := range names {
		id, ok := strings.CutPrefix(strings.TrimPrefix(name, "KV_"), runPrefix)
		if !ok {
			continue
		}
		if id = strings.TrimSuffix(id, "-log"); !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
		err = errors.Join(err, eventually(ctx, func(ctx context.Context) error { return js.DeleteStream(ctx, name) }))
	}
	return ids, err
}
