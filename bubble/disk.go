package bubble

import (
	"maps"
	"slices"
	"strings"
	"time"
)

// disk is the disk of a node as its program sees it. Writes reach the disk of the model at the end of the step.
type disk struct {
	h        *Host
	content  map[string][]byte
	unsynced bool // content has unsynced writes
	losing   int  // number of the next syncs that are lost, of the disk or of files
}

// writing is called before a write. Data sent over connections may arrive although the node crashes before a later write, and a crash
// within a step would lose that data. The write is therefore made in the next step, at once. Goroutines that keep sending do not delay it.
func (d *disk) writing() {
	yield()
	if slices.Max(d.h.pending) > 0 {
		time.Sleep(time.Nanosecond)
	}
}

func (d *disk) Put(key string, value []byte) {
	d.writing()
	value = slices.Clone(value)
	d.content[key], d.unsynced = value, true
	d.h.effect(effect{kind: putEffect, text: key, value: value})
}

func (d *disk) Delete(key string) {
	d.writing()
	delete(d.content, key)
	d.unsynced = true
	d.h.effect(effect{kind: deleteEffect, text: key})
}

func (d *disk) Get(key string) ([]byte, bool) {
	v, ok := d.content[key]
	return slices.Clone(v), ok
}

func (d *disk) Keys(prefix string) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(d.content)), func(k string) bool { return !strings.HasPrefix(k, prefix) })
}

func (d *disk) Sync() {
	d.writing()
	if d.unsynced && d.loses() {
		d.h.effect(effect{kind: logEffect, text: "the sync is lost"})
		return
	}
	d.unsynced = false
	d.h.effect(effect{kind: syncEffect})
}

// loses reports whether a sync that has something to make durable is lost. It must be called once for each.
func (d *disk) loses() bool {
	lost := d.losing > 0
	if lost {
		d.losing--
	}
	return lost
}
