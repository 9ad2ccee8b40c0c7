package memdisk

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/encoding/diff"
)

// Disk is the disk of one node: the synced content, and the writes since.
type Disk struct {
	Synced  []Entry // sorted by key
	Pending []Write // in the order in which they were made
}

// Entry is a key on a disk and its value.
type Entry struct {
	Key   string
	Value []byte
}

// Write is a write to a disk, or a Delete if Gone.
type Write struct {
	Entry
	Gone bool
}

func (d *Disk) Reset() { d.Synced, d.Pending = d.Synced[:0], d.Pending[:0] }

// Flush makes the first n pending writes durable.
func (d *Disk) Flush(n int) {
	for _, p := range d.Pending[:n] {
		i, found := d.find(p.Key)
		switch {
		case p.Gone && found:
			d.Synced = slices.Delete(d.Synced, i, i+1)
		case p.Gone:
		case found:
			d.Synced[i].Value = p.Value
		default:
			d.Synced = slices.Insert(d.Synced, i, p.Entry)
		}
	}
	d.Pending = slices.Delete(d.Pending, 0, n)
}

func (d *Disk) find(key string) (int, bool) {
	return slices.BinarySearchFunc(d.Synced, key, func(e Entry, key string) int {
		return strings.Compare(e.Key, key)
	})
}

func (d *Disk) Get(key string) ([]byte, bool) {
	for i := len(d.Pending) - 1; i >= 0; i-- {
		if p := &d.Pending[i]; p.Key == key {
			return p.Value, !p.Gone
		}
	}
	if i, ok := d.find(key); ok {
		return d.Synced[i].Value, true
	}
	return nil, false
}

func (d *Disk) Keys(prefix string) []string {
	var keys []string
	for _, e := range d.Synced {
		keys = append(keys, e.Key)
	}
	for _, p := range d.Pending {
		keys = append(keys, p.Key)
	}
	keys = slices.DeleteFunc(keys, func(k string) bool {
		_, ok := d.Get(k)
		return !ok || !strings.HasPrefix(k, prefix)
	})
	slices.Sort(keys)
	return slices.Compact(keys)
}

// Append encodes the disk canonically.
func (d *Disk) Append(buf []byte) []byte {
	buf = binary.AppendUvarint(buf, uint64(len(d.Synced)))
	for _, e := range d.Synced {
		buf = appendText(appendText(buf, e.Key), string(e.Value))
	}
	buf = binary.AppendUvarint(buf, uint64(len(d.Pending)))
	for _, p := range d.Pending {
		gone := byte(0)
		if p.Gone {
			gone = 1
		}
		buf = append(appendText(appendText(buf, p.Key), string(p.Value)), gone)
	}
	return buf
}

func appendText(buf []byte, s string) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(s))), s...)
}

// Fields appends a description of the disk.
func (d *Disk) Fields(f []diff.Field) []diff.Field {
	for _, e := range d.Synced {
		f = append(f, diff.Field{Path: "(disk " + e.Key + ")", Value: quoted(e.Value), Part: diff.Part{Kind: diff.OfDisk, Name: e.Key}})
	}
	for i, p := range d.Pending {
		value := p.Key + " = " + quoted(p.Value)
		if p.Gone {
			value = p.Key + " deleted"
		}
		f = append(f, diff.Field{Path: fmt.Sprintf("(unsynced write %d)", i+1), Value: value, Part: diff.Part{Kind: diff.OfWrite, Name: p.Key}})
	}
	return f
}

// quoted quotes the content of a disk: in backquotes if it contains double quotes, as JSON does.
func quoted(value []byte) string {
	if text := string(value); strings.Contains(text, `"`) && strconv.CanBackquote(text) {
		return "`" + text + "`"
	}
	return strconv.Quote(string(value))
}
