package cluster

import (
	"encoding/json"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/explore/stateset"
	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/internal/table/shard"
	"github.com/macemc/macemc/systems/spec"
)

// If the server has lost the acknowledged end of a log, the search ends and reports it, whichever process reads that log
// next.
func TestLogLost(t *testing.T) {
	if testing.Short() {
		t.Skip("slow")
	}
	t.Parallel()
	url := serve(t)
	work(t, url, 1)
	lost := false
	system, _ := hold(t, "paxos")
	x, err := search(t, url, system, spec.Config{Params: map[string]string{"proposers": "3"}}, func(o *options.Options) {
		o.MaxDepth = 16
		o.Progress = func(states, _, _, _ int) {
			if lost || states < 5_000 {
				return
			}
			lost = true
			err := at(t.Context(), url, Security{}, func(r *run) error {
				msg, err := r.log.GetLastMsgForSubject(t.Context(), r.logSubject(3))
				if err != nil {
					return err
				}
				return r.log.DeleteMsg(t.Context(), msg.Sequence)
			})
			if err != nil {
				t.Error(err)
			}
			work(t, url, 1)
		}
	})
	// A worker that writes on before the log is read makes it one with a gap.
	if !lost || err == nil ||
		!strings.Contains(err.Error(), "lost acknowledged data") && !strings.Contains(err.Error(), "a block of a log is damaged") {
		t.Errorf("lost: %v: got error %v and %+v, want one about lost or damaged data", lost, err, x)
	}
}

// A log shorter than its committed length is not complete: the answering server may still be catching up.
func TestShortLog(t *testing.T) {
	t.Parallel()
	nc := connected(t, serve(t), Security{})
	visited, err := stateset.Named("128")
	if err != nil {
		t.Fatal(err)
	}
	sys, opts := counters("counters"), options.Options{Visited: visited}
	shard, err := shard.New(&sys, opts, parts, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	roots, err := shard.Roots()
	if err != nil {
		t.Fatal(err)
	}
	s := Search{Manifest: Manifest{Build: "test", Title: "counters", Job: json.RawMessage("{}"), Visited: "128", Replicas: 1}}
	r, err := s.begin(t.Context(), nc, shard, roots)
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.commit(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.Epoch = 1
	for i := range c.Owner {
		c.Owner[i] = 1
	}
	m := &member{run: r, ctx: t.Context(), logs: slog.New(slog.NewTextHandler(t.Output(), nil)), self: 1,
		inbox: mailbox{came: make(chan struct{}, 1)}, timers: timers{at: map[any]time.Time{}}}
	m.env.m = m
	d, err := newData(m, &sys, opts)
	if err != nil {
		t.Fatal(err)
	}
	first := shard.Of(roots[:shard.Words()])
	for _, short := range []int{0, 1, 0} {
		c.Len[first] = 1 + short
		c.Epoch++
		d.Renew(&c, 1)
		d.Ask(&m.env, &c, false)
		if d.Read(&c, 1) == (short > 0) {
			t.Errorf("%d states are committed, one is in the log: got whole %v, want %v", c.Len[first], d.Read(&c, 1), short == 0)
		}
	}
}
