//go:build macemc_overlay

package bubble_test

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/sim"
)

// writes are the ways in which a goroutine writes to the network and the disk of its node. Each has a function that prepares it.
var writes = map[string]func(h *bubble.Host) (write func(), err error){
	"Put":    func(h *bubble.Host) (func(), error) { return func() { h.Disk().Put("k", nil) }, nil },
	"Delete": func(h *bubble.Host) (func(), error) { return func() { h.Disk().Delete("k") }, nil },
	"Sync":   func(h *bubble.Host) (func(), error) { return func() { h.Disk().Sync() }, nil },
	"WriteTo": func(h *bubble.Host) (func(), error) {
		c, err := h.ListenPacket("udp", ":1")
		return func() { c.WriteTo([]byte("x"), c.LocalAddr()) }, err
	},
	"Write": func(h *bubble.Host) (func(), error) {
		if _, err := h.Listen("tcp", ":1"); err != nil {
			return nil, err
		}
		c, err := h.Dial(context.Background(), "tcp", ":1")
		return func() { c.Write([]byte("x")) }, err
	},
}

// writeBugs are lost updates that occur if another goroutine runs at a write.
func writeBugs() (bugs []bug) {
	for _, name := range slices.Sorted(maps.Keys(writes)) {
		bugs = append(bugs, bug{
			name: "update lost at " + name, interleave: sim.Random, kinds: []sim.FindingKind{sim.Safety}, actions: start, always: right(2),
			program: func(broken bool) bubble.Main {
				return func(ctx context.Context, h *bubble.Host) error {
					write, err := writes[name](h)
					if err != nil {
						return err
					}
					var c count
					h.Observe(func() any { return c })
					h.Expose(begin(func() {
						var wg sync.WaitGroup
						for range 2 {
							wg.Go(func() {
								n := c.N
								write()
								if !broken {
									n = c.N
								}
								c.N = n + 1
							})
						}
						wg.Wait()
						c.Done = true
					}))
					<-ctx.Done()
					return nil
				}
			},
		})
	}
	return bugs
}
