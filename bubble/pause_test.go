//go:build macemc_overlay

package bubble_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/internal/check"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// lockTime is the time after which a key of the store expires. It counts that in ticks, as some stores in memory do.
const (
	lockTime = 3 * time.Second
	tick     = 100 * time.Millisecond
)

// expiring is the value of a key, and the time that it has left.
type expiring struct {
	token string
	left  time.Duration
}

// keyStore serves keys that expire over TCP, as Redis does.
func keyStore(context.Context) error {
	var mu sync.Mutex
	keys := map[string]*expiring{}
	do := func(f []string) string {
		mu.Lock()
		defer mu.Unlock()
		e, held := keys[f[1]]
		switch {
		case f[0] == "SETNX" && !held:
			left, _ := time.ParseDuration(f[3])
			keys[f[1]] = &expiring{f[2], left}
			return "OK"
		case f[0] == "DEL" && held, f[0] == "DELEQ" && held && e.token == f[2]:
			delete(keys, f[1])
			return "1"
		}
		return "nil"
	}
	l, err := net.Listen("tcp", ":6379")
	if err != nil {
		return err
	}
	go func() {
		for {
			time.Sleep(tick)
			mu.Lock()
			for key, e := range keys {
				if e.left -= tick; e.left <= 0 {
					delete(keys, key)
				}
			}
			mu.Unlock()
		}
	}()
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			for s := bufio.NewScanner(c); s.Scan(); {
				fmt.Fprintln(c, do(strings.Fields(s.Text())))
			}
		}()
	}
}

// worker repeatedly takes the lock for a second. It shows the end of its lock. The first argument is the defect: it counts
// the end from the answer instead of from the request, or deletes the key without comparing the token.
func worker(_ context.Context, h *bubble.Host) error {
	var until time.Time
	boot := time.Now()
	h.Observe(func() any { return max(0, until.Sub(boot)) }) // the end of the lock
	var c net.Conn
	var err error
	for c, err = net.Dial("tcp", "n0:6379"); err != nil; c, err = net.Dial("tcp", "n0:6379") {
		time.Sleep(time.Second)
	}
	r := bufio.NewReader(c)
	do := func(command string) string {
		fmt.Fprintln(c, command)
		line, _ := r.ReadString('\n')
		return strings.TrimSpace(line)
	}
	for round := 0; ; round++ {
		token := fmt.Sprint(os.Args[2], "-", round)
		began := time.Now()
		if do(fmt.Sprint("SETNX lock ", token, " ", lockTime)) == "OK" {
			if os.Args[1] == "answer" {
				began = time.Now()
			}
			until = began.Add(lockTime - 2*tick)
			time.Sleep(time.Second)
			until = time.Time{}
			if os.Args[1] == "delete" {
				do("DEL lock")
			} else {
				do("DELEQ lock " + token)
			}
		}
		time.Sleep(time.Second)
	}
}

func lockingSystem(kind string) sim.System {
	return sim.System{
		Name: "lock-" + kind, Nodes: 3, State: bubble.Rules, Network: netsim.Streams{}, Clocks: &sim.Clocks{},
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return bubble.Command(keyStore, []string{"store"}, nil)
			}
			return bubble.Command(worker, []string{"worker", kind, fmt.Sprint(id)}, nil)
		},
		Properties: []sim.Property{{Name: "one holder", Always: func(v *sim.View) bool {
			now, holders := time.Duration(0), 0
			for id := range sim.NodeID(3) {
				now = max(now, v.Service(id).(*bubble.Program).Clock)
			}
			for id := range sim.NodeID(3) {
				if until, ok := bubble.SeenAt[time.Duration](v, id); ok && now < until {
					holders++
				}
			}
			return holders < 2
		}}},
	}
}

// Two workers that pause for longer than a lock lasts hold it at the same time, if their code has a defect.
func TestPause_Locks(t *testing.T) {
	for kind, paths := range map[string]int{"right": 60, "answer": 2000, "delete": 2000} {
		for seed := range uint64(5) {
			sys := lockingSystem(kind)
			sys.Timing = check.LivenessTiming(&sys)
			r, err := searched(t, search.Config{System: sys, Workers: 1, Strategy: search.Walk, MaxPaths: paths, Seed: seed + 1})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, seed %d: %v after %d paths, %d steps", kind, seed+1, r.Verdict, r.Stats.Paths, r.Stats.Events)
			if (r.Finding != nil) != (kind != "right") {
				t.Errorf("%s, seed %d: %+v", kind, seed+1, r.Finding)
			}
		}
	}
}
