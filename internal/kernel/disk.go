package kernel

import (
	"slices"
	"strings"
)

// disk is the disk of one node: what was synced, and the writes since.
type disk struct {
	synced  []entry // sorted by key
	pending []write // in the order in which they were made
}

type entry struct {
	key   string
	value []byte
}

type write struct {
	entry
	gone bool // a delete
}

func (d *disk) reset() { d.synced, d.pending = d.synced[:0], d.pending[:0] }

// flush makes the first n pending writes durable.
func (d *disk) flush(n int) {
	for _, p := range d.pending[:n] {
		i, found := d.find(p.key)
		switch {
		case p.gone && found:
			d.synced = slices.Delete(d.synced, i, i+1)
		case p.gone:
		case found:
			d.synced[i].value = p.value
		default:
			d.synced = slices.Insert(d.synced, i, p.entry)
		}
	}
	d.pending = slices.Delete(d.pending, 0, n)
}

func (d *disk) find(key string) (int, bool) {
	return slices.BinarySearchFunc(d.synced, key, func(e entry, key string) int {
		return strings.Compare(e.key, key)
	})
}

func (d *disk) get(key string) ([]byte, bool) {
	for i := len(d.pending) - 1; i >= 0; i-- {
		if p := &d.pending[i]; p.key == key {
			return p.value, !p.gone
		}
	}
	if i, ok := d.find(key); ok {
		return d.synced[i].value, true
	}
	return nil, false
}

func (d *disk) keys(prefix string) []string {
	var keys []string
	for _, e := range d.synced {
		keys = append(keys, e.key)
	}
	for _, p := range d.pending {
		keys = append(keys, p.key)
	}
	keys = slices.DeleteFunc(keys, func(k string) bool {
		_, ok := d.get(k)
		return !ok || !strings.HasPrefix(k, prefix)
	})
	slices.Sort(keys)
	return slices.Compact(keys)
}

// append encodes the disk canonically.
func (d *disk) append(buf []byte) []byte {
	buf = appendCount(buf, len(d.synced))
	for _, e := range d.synced {
		buf = appendString(appendString(buf, e.key), string(e.value))
	}
	buf = appendCount(buf, len(d.pending))
	for _, p := range d.pending {
		gone := byte(0)
		if p.gone {
			gone = 1
		}
		buf = append(appendString(appendString(buf, p.key), string(p.value)), gone)
	}
	return buf
}
