//go:build macemc_overlay

package bubble_test

import (
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/internal/test/replaytest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// A flip inverts the lowest bit of the first, the middle or the last byte of a non-empty file.
func TestBitFlips_Places(t *testing.T) {
	files := []string{"/data/d/four", "/data/none", "/data/one", "/data/two"}
	program := func(_ context.Context, h *bubble.Host) error {
		state := ""
		h.Observe(func() any { return state })
		err := os.Mkdir("/data/d", 0o755)
		for i, text := range []string{"bdfh", "", "b", "bd"} {
			err = errors.Join(err, os.WriteFile(files[i], []byte(text), 0o644))
		}
		time.Sleep(time.Second) // the flip strikes here, or not at all
		for _, name := range files {
			text, failed := os.ReadFile(name)
			state, err = state+" "+string(text), errors.Join(err, failed)
		}
		return err
	}
	got := outcomes(t, sim.System{Name: "places", Nodes: 1, BitFlips: 1, New: func(sim.NodeID) sim.Service {
		return bubble.Service(program, bubble.DataDir("/data"))
	}})
	want := []string{" bdfh  b bd", " bdfh  b be", " bdfh  b cd", " bdfh  c bd", " bdfi  b bd", " bdgh  b bd", " cdfh  b bd"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	node := bubble.Service(program, bubble.DataDir("/data")).(*bubble.Program)
	if text := node.Uncovered(sim.FIFO); !strings.Contains(text, "most flips of bits") {
		t.Errorf("flips of other bits are not listed as uncovered: %s", text)
	}
}

// records is a system of a program that stores a record, and announces what it reads a second later. With a checksum, it announces no
// record that is damaged.
func records(checksum bool) sim.System {
	encode := func(value string) []byte {
		if checksum {
			return fmt.Appendf(nil, "%08x%s", crc32.ChecksumIEEE([]byte(value)), value)
		}
		return []byte(value)
	}
	program := func(_ context.Context, h *bubble.Host) error {
		damaged := ""
		h.Observe(func() any { return damaged })
		if err := os.WriteFile("/data/record", encode("x"), 0o644); err != nil {
			return err
		}
		h.Announce(synced{})
		time.Sleep(time.Second)
		record, err := os.ReadFile("/data/record")
		if err != nil {
			return err
		}
		value := record[len(record)-1:]
		if !slices.Equal(encode(string(value)), record) {
			damaged = "damaged"
			return nil
		}
		h.Announce(restored{string(value)})
		return nil
	}
	return sim.System{
		Name: "records", Nodes: 1, State: bubble.Rules, BitFlips: 1,
		New:      func(sim.NodeID) sim.Service { return bubble.Service(program, bubble.DataDir("/data")) },
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &durability{} }},
	}
}

// A program without a checksum uses the changed value, which is a finding that replays.
func TestBitFlips_WithoutChecksum(t *testing.T) { replaytest.Finding(t, records(false), "lost") }

// A program with a checksum detects every flip.
func TestBitFlips_Checksum(t *testing.T) {
	got := outcomes(t, records(true))
	if want := []string{"", "damaged"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	without := records(false)
	without.BitFlips = 0
	for _, sys := range []sim.System{records(true), without} {
		r, err := searched(t, search.Config{System: sys, Workers: 1, MaxPaths: 1000, WalkSteps: 10})
		if err != nil || r.Finding != nil {
			t.Errorf("%d bit flips: %v, found %+v", sys.BitFlips, err, r.Finding)
		}
	}
}

// flipped is violated if a change is undone. Without Undone, it is violated when as many boots as Boots have found the change.
type flipped struct {
	Undone bool
	Boots  int
	Found  bool
}

type (
	booted struct{ Value string } // announces the value that a boot finds
	later  struct{ Value string } // announces the value that the program reads a second later
)

func (f *flipped) Observe(_ sim.NodeID, event any) error {
	value := ""
	switch e := event.(type) {
	case booted:
		if value = e.Value; value == "c" && !f.Undone {
			if f.Boots--; f.Boots == 0 {
				return errors.New("found at each boot")
			}
		}
	case later:
		value = e.Value
	}
	if f.Undone && f.Found && value != "c" {
		return fmt.Errorf("%q after the flip", value)
	}
	f.Found = f.Found || value == "c"
	return nil
}

// A flip is still there after each of two crashes.
func TestBitFlips_Crashes(t *testing.T) {
	program := func(_ context.Context, h *bubble.Host) error {
		value, err := os.ReadFile("/data/a")
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		h.Announce(booted{string(value)})
		if len(value) == 0 {
			err := os.WriteFile("/data/a", []byte("b"), 0o644)
			for _, name := range []string{"/data/a", "/data"} {
				f, failed := os.Open(name)
				err = errors.Join(err, failed, f.Sync(), f.Close())
			}
			if err != nil {
				return err
			}
		}
		for {
			time.Sleep(time.Second)
			if value, err = os.ReadFile("/data/a"); err != nil {
				return err
			}
			h.Announce(later{string(value)})
		}
	}
	for _, c := range []struct {
		monitor flipped
		want    string
	}{{flipped{Undone: true}, ""}, {flipped{Boots: 2}, "found at each boot"}} {
		r, err := searched(t, search.Config{Workers: 1, MaxPaths: 3000, WalkSteps: 20, System: sim.System{
			Name: "crashes", Nodes: 1, State: bubble.Rules, Interleave: sim.FIFO, Crashes: 2, BitFlips: 1,
			New:      func(sim.NodeID) sim.Service { return bubble.Service(program, bubble.DataDir("/data")) },
			Monitors: []func() sim.Monitor{func() sim.Monitor { m := c.monitor; return &m }},
		}})
		if err != nil || (r.Finding != nil) != (c.want != "") || c.want != "" && r.Finding.Message != c.want {
			t.Errorf("%+v: %v, found %+v, want %q", c.monitor, err, r.Finding, c.want)
		}
	}
}
