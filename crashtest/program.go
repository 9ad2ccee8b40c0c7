package crashtest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/macemc/macemc/bubble"
)

// life is the program from a boot to the next crash.
type life[D any] struct {
	store    *Store[D]
	h        *bubble.Host
	db       D
	failures int
	opened   sync.RWMutex // locked while the store is reopened
	last     int          // number of the last record or value
}

// Numbers of the workload.
const (
	keys   = 2   // of each client
	writes = 6   // of each client in a life
	long   = 700 // bytes of a long value
)

// run opens the store, checks what it finds, and writes.
func (l *life[D]) run(ctx context.Context) error {
	l.h.Announce(booted{})
	if !l.open() {
		return nil
	}
	l.inspect()
	var clients sync.WaitGroup
	for c := range l.store.Clients {
		clients.Go(func() { l.client(c) })
	}
	clients.Wait()
	l.reopen()
	l.inspect()
	<-ctx.Done()
	return nil
}

// open opens the store and reports whether it is open.
func (l *life[D]) open() bool {
	for {
		db, err := l.store.Open(dataDir)
		if l.db = db; err == nil {
			l.h.Announce(opened{})
			return true
		}
		if !l.failed("the store does not open", err) {
			return false
		}
	}
}

// failed reports an error of the store. It returns true if an error of the disk may be the cause.
func (l *life[D]) failed(what string, err error) bool {
	l.failures++
	explained := l.failures <= 2*l.store.DiskErrors
	l.h.Assert(explained, "%s: %v", what, err)
	return explained
}

// reopen closes the store and opens it again.
func (l *life[D]) reopen() {
	if l.store.Close == nil {
		return
	}
	l.opened.Lock()
	defer l.opened.Unlock()
	l.h.Announce(calling{"Close"})
	if err := l.store.Close(l.db); err != nil {
		l.failed("Close fails", err)
	}
	l.open()
}

// try executes an operation, and reopens the store if it fails.
func (l *life[D]) try(what string, f func() error) bool {
	l.opened.RLock()
	err := f()
	l.opened.RUnlock()
	if err != nil && l.failed(what+" fails", err) {
		l.reopen()
	}
	return err == nil
}

// value returns a new value that no other client writes.
func (l *life[D]) value(client int) string {
	l.last++
	text := fmt.Sprintf("value %d of client %d in life %d ", l.last, client, os.Getpid()/1000)
	if rand.IntN(2) == 0 {
		text += strings.Repeat(fmt.Sprint(l.last%10), long)
	}
	return text
}

// client writes, and maintains the store.
func (l *life[D]) client(c int) {
	for range writes {
		switch {
		case l.store.Put != nil:
			l.put(c, fmt.Sprintf("key%d-%d", c, rand.IntN(keys)))
		case l.store.Take != nil && rand.IntN(3) == 0:
			l.take()
		default:
			l.append(c)
		}
		time.Sleep(time.Millisecond)
		if c == 0 && l.store.Trim != nil && rand.IntN(3) == 0 {
			l.trim()
		}
		if c == 0 && l.store.Maintain != nil && rand.IntN(3) == 0 {
			l.try("Maintain", func() error {
				l.h.Announce(calling{"Maintain"})
				return l.store.Maintain(l.db)
			})
		}
	}
}

func (l *life[D]) put(c int, key string) {
	if l.store.Delete != nil && rand.IntN(4) == 0 {
		l.h.Announce(writing{Key: key, Deletes: true})
		if l.try("Delete", func() error { return l.store.Delete(l.db, key) }) {
			l.h.Announce(written{Key: key, Deletes: true})
		}
		return
	}
	value := l.value(c)
	l.h.Announce(writing{Key: key, Value: value})
	if l.try("Put", func() error { return l.store.Put(l.db, key, value) }) {
		l.h.Announce(written{Key: key, Value: value})
		l.get(key)
	}
}

func (l *life[D]) get(key string) {
	l.try("Get", func() error {
		value, ok, err := l.store.Get(l.db, key)
		if err == nil {
			l.h.Announce(read{key, strings.Clone(value), ok})
		}
		return err
	})
}

func (l *life[D]) append(c int) {
	record := l.value(c)
	l.h.Announce(writing{Value: record})
	if l.try("Append", func() error { return l.store.Append(l.db, record) }) {
		l.h.Announce(written{Value: record})
	}
}

// take takes a record and reports whether there was one.
func (l *life[D]) take() (ok bool) {
	l.h.Announce(taking{})
	l.try("Take", func() error {
		record, some, err := l.store.Take(l.db)
		if err == nil {
			l.h.Announce(taken{strings.Clone(record), some})
		}
		ok = some && err == nil
		return err
	})
	return ok
}

func (l *life[D]) trim() {
	l.try("Trim", func() error {
		records, err := l.store.Records(l.db)
		if err != nil || len(records) < 2 {
			return err
		}
		n := 1 + rand.IntN(len(records)-1)
		l.h.Announce(trimming{cloned(records[:n])})
		return l.store.Trim(l.db, n)
	})
}

// cloned copies strings, which may refer to memory of the store.
func cloned(list []string) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = strings.Clone(s)
	}
	return out
}

// allKeys returns the keys of a map.
func allKeys(clients int) (all []string) {
	for c := range clients {
		for k := range keys {
			all = append(all, fmt.Sprintf("key%d-%d", c, k))
		}
	}
	return all
}

// inspect announces the content of the store. It empties a queue.
func (l *life[D]) inspect() {
	switch {
	case l.store.Get != nil:
		for _, key := range allKeys(l.store.Clients) {
			l.get(key)
		}
	case l.store.Records != nil:
		l.try("Records", func() error {
			records, err := l.store.Records(l.db)
			if err == nil {
				l.h.Announce(content{cloned(records)})
			}
			return err
		})
	default:
		for l.take() {
		}
		l.h.Announce(content{})
	}
}
