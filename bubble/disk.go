package bubble

import (
	"maps"
	"slices"
	"strings"
)

// disk is the disk of a node as its program sees it. What it writes reaches that of the model when the step is over.
type disk struct {
	h       *Host
	content map[string][]byte
}

func (d *disk) Put(key string, value []byte) {
	yield()
	value = slices.Clone(value)
	d.content[key] = value
	d.h.effect(effect{kind: putEffect, text: key, value: value})
}

func (d *disk) Delete(key string) {
	yield()
	delete(d.content, key)
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
	yield()
	d.h.effect(effect{kind: syncEffect})
}
