//go:build macemc_overlay

package bubble

import (
	"context"
	"encoding/gob"
	"fmt"
	"io"
	randv2 "math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/macemc/macemc/sim"
)

// cache is a process-wide cache as libraries have them.
var cache = newCache()

type knows struct {
	mu    sync.Mutex
	known map[int]bool
}

//go:noinline
func newCache() *knows { return &knows{} }

// Initialization behind a process-wide lock makes no difference between the first run and later ones.
func TestOnce_Cache(t *testing.T) {
	program := func(tr *trace) {
		var mu sync.Mutex
		for g := range 3 {
			go func() {
				for i := range 4 {
					cache.mu.Lock()
					known := cache.known[i]
					cache.mu.Unlock()
					if !known {
						cache.mu.Lock()
						cache.known[i] = true
						cache.mu.Unlock()
					}
					mu.Lock()
					tr.add(g, i)
					mu.Unlock()
				}
			}()
		}
	}
	traces := map[uint64]bool{}
	for _, how := range []sim.Interleave{sim.Random, 3} {
		for pick := range 10 {
			cache.known = map[int]bool{}
			traces[twice(t, program, how, pick)] = true
		}
	}
	if len(traces) < 10 {
		t.Errorf("%d different traces: the schedules do not switch", len(traces))
	}
}

// twice returns the trace of a program, which must be equal in two runs.
func twice(t *testing.T, program func(*trace), how sim.Interleave, pick int) uint64 {
	t.Helper()
	var runs [2]uint64
	for i := range runs {
		h, n := alone(program, how, pick)
		stepping.Lock()
		n.discard()
		stepping.Unlock()
		runs[i] = h
	}
	if runs[0] != runs[1] {
		t.Errorf("%v %d: the first run is %x, the second %x", how, pick, runs[0], runs[1])
	}
	return runs[0]
}

// The type information that package gob caches at its first use of a type makes no difference between that run and later ones.
func TestOnce_Gob(t *testing.T) {
	for _, how := range []sim.Interleave{sim.Random, 3} {
		for pick := range 10 {
			fields := []reflect.StructField{{Name: fmt.Sprintf("A%d_%d", max(how, 0), pick), Type: reflect.TypeFor[int]()}}
			unknown := reflect.New(reflect.StructOf(fields)).Elem()
			program := func(tr *trace) {
				var mu sync.Mutex
				for g := range 3 {
					go func() {
						for i := range 4 {
							err := gob.NewEncoder(io.Discard).EncodeValue(unknown)
							mu.Lock()
							tr.add(g, i, err)
							mu.Unlock()
						}
					}()
				}
			}
			twice(t, program, how, pick)
		}
	}
}

var onces [2]sync.Once

// A node's draws in a sync.Once come from its own seed, unless the Once is a package variable. Then the draws do not depend on which node
// is first.
func TestOnce_Draws(t *testing.T) {
	drawn := func(seed uint64, once *sync.Once) (x uint64) {
		stepping.Lock()
		defer stepping.Unlock()
		n := start(boot{nodes: 1, seed: seed})
		n.perform(&input{kind: bootInput, boot: new(boot)}, func(context.Context, *Host) error {
			once.Do(func() { x = randv2.Uint64() })
			return nil
		})
		n.discard()
		return x
	}
	if a, b, again := drawn(1, new(sync.Once)), drawn(2, new(sync.Once)), drawn(1, new(sync.Once)); a == b || a != again {
		t.Errorf("seeds 1, 2 and 1 again draw %x, %x and %x", a, b, again)
	}
	if a, b := drawn(1, &onces[0]), drawn(2, &onces[1]); a != b {
		t.Errorf("package variables draw %x and %x", a, b)
	}
}
