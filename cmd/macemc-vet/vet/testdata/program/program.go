// Package program has ordinary programs as nodes.
package program

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/sim"
)

var (
	conns int
	hits  atomic.Int64
	once  sync.Once
	pool  = sync.Pool{New: func() any { return new(int) }}
)

var system = sim.System{
	Nodes: 2,
	New: func(id sim.NodeID) sim.Service {
		if id == 0 {
			return bubble.Service(server)
		}
		return bubble.Service(client("n0:80"))
	},
	Actions: []sim.AnyAction{bubble.Call("ask", func(ask func(), _ context.Context) error {
		ask()
		hits.Add(1) // want "hits"
		return nil
	})},
}

func server(ctx context.Context, h *bubble.Host) error {
	l, err := h.Listen("tcp", ":80")
	if err != nil {
		return err
	}
	open := map[net.Conn]time.Time{}
	names := map[string]net.Conn{}
	for {
		c, err := l.Accept()
		if err != nil {
			break
		}
		conns++ // want "keep it in what the program makes"
		once.Do(func() {})
		pool.Put(pool.Get())
		open[c] = time.Now()
		names[rand.Text()] = c
		go c.Close()
		time.Sleep(time.Second)
	}
	for c := range open { // want "keys are ordered by their addresses"
		c.Close()
	}
	for _, c := range names {
		c.Close()
	}
	n := 0
	for range open {
		n++
	}
	h.Log().Info(fmt.Sprintf("%p", names)) // want "%p"
	return helper(h)
}

func helper(h *bubble.Host) error {
	_, err := os.ReadFile(fmt.Sprint("config", h.Self())) // want "bubble.Host"
	return err
}

func client(address string) bubble.Main {
	return func(ctx context.Context, h *bubble.Host) error {
		c := &http.Client{Transport: &http.Transport{DialContext: h.Dial}}
		if _, err := c.Get("http://" + address); err != nil {
			_, err = http.Get("http://" + address) // by the network of the node
			return err
		}
		var keys []*int
		for k := range map[*int]bool{} { // want "addresses"
			keys = append(keys, k)
			fmt.Fprintln(os.Stderr, len(keys))
		}
		slices.SortFunc(keys, func(a, b *int) int { return *a - *b })
		return nil
	}
}

// main is that of a process, which has package variables of its own.
func main() {
	conns++
	fmt.Println(os.Args, conns)
}

func process() sim.Service { return bubble.Command(main, nil, nil) }
