package realnet

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/macemc/macemc/internal/kernel/memdisk"
	"github.com/macemc/macemc/internal/kernel/runner"
	"github.com/macemc/macemc/internal/recording"
	"github.com/macemc/macemc/sim"
)

func put(key, value string) memdisk.Write {
	return memdisk.Write{Entry: memdisk.Entry{Key: key, Value: []byte(value)}}
}

func contents(d runner.Durable) string {
	s := ""
	for _, e := range d.Disk {
		s += fmt.Sprintf("%s=%s ", e.Key, e.Value)
	}
	return s
}

// If any part of the log's end is torn off, the node finds the state after some number of writes, and the
// monotone counter does not fall below written values.
func TestDisk_TornLogIsPrefix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "disk")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		d, _, _, err := openDisk(dir)
		if err != nil {
			t.Fatal(err)
		}
		states := []string{""}
		model := map[string]string{}
		for i := range rapid.IntRange(1, 20).Draw(t, "writes") {
			key := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "key")
			w := put(key, fmt.Sprint(i))
			if w.Gone = rapid.Bool().Draw(t, "gone"); w.Gone {
				w.Value = nil
				delete(model, key)
			} else {
				model[key] = fmt.Sprint(i)
			}
			d.write(w)
			d.meta(uint64(i+1), []int{i})
			s := ""
			for _, k := range []string{"a", "b", "c"} {
				if v, ok := model[k]; ok {
					s += k + "=" + v + " "
				}
			}
			states = append(states, s)
			if rapid.Bool().Draw(t, "commit") {
				if err := d.commit(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := errors.Join(d.commit(), d.close()); err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, diskName)
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		cut := rapid.IntRange(0, len(data)).Draw(t, "cut")
		if err := os.WriteFile(name, data[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		d, found, _, err := openDisk(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer d.close()
		if got := contents(found); got != states[d.writes] {
			t.Fatalf("after %d writes: %q, want %q", d.writes, got, states[d.writes])
		}
		if cut == len(data) && int(d.writes) != len(states)-1 {
			t.Fatalf("%d of %d writes were found in a whole log", d.writes, len(states)-1)
		}
		if n := found.Ticks; n > d.writes || n+1 < d.writes {
			t.Fatalf("the counter is %d after %d writes, of which each counted", n, d.writes)
		}
	})
}

// Unreadable data is not thrown away: a damaged record in the middle, with everything behind it, and a file that is
// not a log.
func TestDisk_KeepsTornEnd(t *testing.T) {
	dir := t.TempDir()
	d, _, _, err := openDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	first := d.size
	d.write(put("a", "1"))
	d.write(put("b", "2"))
	if err := errors.Join(d.commit(), d.close()); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, diskName)
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	data[first] ^= 1
	for i, bad := range [][]byte{data, []byte("this is no log")} {
		if err := os.WriteFile(name, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		d, found, cut, err := openDisk(dir)
		if err != nil {
			t.Fatal(err)
		}
		d.close()
		want := bad
		if i == 0 {
			want = data[first:]
		}
		if kept, err := os.ReadFile(fmt.Sprintf("%s.cut-%d", name, i+1)); err != nil || !slices.Equal(kept, want) || int(cut) != len(want) || len(found.Disk) != 0 {
			t.Errorf("%q: %d bytes cut, %q kept, %v", bad, cut, kept, err)
		}
	}
}

// After the machine was down the used part of the reserved block of numbers is unknown.
func TestDisk_CounterAfterPowerFailure(t *testing.T) {
	dir := t.TempDir()
	d, _, _, err := openDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	d.boot = "another"
	d.meta(5, nil)
	if err := errors.Join(d.commit(), d.close()); err != nil {
		t.Fatal(err)
	}
	_, found, _, err := openDisk(dir)
	if err != nil || found.Ticks != 5+tickBlock {
		t.Errorf("the counter goes on from %d, %v", found.Ticks, err)
	}
}

// A log full of obsolete records is compacted to the same content.
func TestDisk_Compacted(t *testing.T) {
	dir := t.TempDir()
	d, _, _, err := openDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	big := make([]byte, 1<<18)
	for i := range 20 {
		big[0] = byte(i)
		d.write(memdisk.Write{Entry: memdisk.Entry{Key: "big", Value: big}})
	}
	d.write(put("small", "x"))
	d.meta(7, []int{1, 2})
	if err := errors.Join(d.commit(), d.close()); err != nil {
		t.Fatal(err)
	}
	d, found, _, err := openDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d.size > 1<<19 || d.writes != 21 || len(found.Disk) != 2 || found.Disk[0].Value[0] != 19 || found.Ticks != 7 || !slices.Equal(found.Counts, []int{1, 2}) {
		t.Errorf("%d bytes, %d writes, found %d entries, counter %d, counts %v", d.size, d.writes, len(found.Disk), found.Ticks, found.Counts)
	}
	if err := d.close(); err != nil {
		t.Fatal(err)
	}
	d, again, cut, err := openDisk(dir)
	if err != nil || cut != 0 || d.writes != 21 || contents(again) != contents(found) {
		t.Errorf("read again: %d cut, %d writes, %v", cut, d.writes, err)
	}
	d.close()
}

// keeper writes to its disk all the time.
type keeper struct {
	sim.Nop
	N int
}

func (k *keeper) Boot(env sim.Env) { env.SetTimer("again", time.Millisecond) }

func (k *keeper) Timer(env sim.Env, _ any) {
	k.N++
	env.Disk().Put("n", []byte(fmt.Sprint(k.N)))
	env.Disk().Sync()
	env.SetTimer("again", time.Millisecond)
}

func full(t *testing.T) *os.File {
	f, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	return f
}

// A node with a full disk ends, since it could not inform its service.
func TestDiskFullEndsTheNode(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	sys := sim.System{Name: "keep", Nodes: 1, New: func(sim.NodeID) sim.Service { return &keeper{} }}
	n, err := New(Config{System: &sys, Peers: []string{addr}, Dir: t.TempDir(), Record: &recording.Options{Dir: t.TempDir()}})
	if err != nil {
		t.Fatal(err)
	}
	n.disk.file.Close()
	n.disk.file = full(t)
	if err := n.Run(context.Background()); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v", err)
	}
}
