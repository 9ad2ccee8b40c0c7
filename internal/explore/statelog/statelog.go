// Package statelog keeps the states of an exploration in a file: a log of blocks with checksums, to which is only appended, so
// that a process that is killed loses what it did in its last moments, and nothing else.
//
// A file that ends in the middle of a block is cut behind the last good one. One in which a block is damaged, and good ones come
// behind it, is refused.
package statelog

import (
	"bytes"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/macemc/macemc/internal/explore"
)

// title is what files begin with. Its number goes up when another format is written, and when tables list other edges: a log has their hashes.
const title = "macemc state log 3\n"

// Log is a log in a file. It implements [explore.Log].
type Log struct {
	name   string
	file   file
	good   int64 // bytes of title and good blocks
	end    explore.Mark
	notes  []byte
	stats  Stats
	writer *writer // nil: it is only read
}

// Stats tells about a file.
type Stats struct {
	Bytes        int64 // but for those that are torn
	Torn         int64 // bytes at the end that are no block
	Blocks       int
	CacheFillers int
}

// file is what is used of an [os.File].
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
}

// DamagedError says that a file is no log any more.
type DamagedError struct {
	Name   string
	Block  int   // counted from 1
	Offset int64 // where it begins
	Why    string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s: block %d, at byte %d, %s: restore the file, or begin in another folder", e.Name, e.Block, e.Offset, e.Why)
}

// Open opens a log to go on with, which is made when there is none. What is torn at its end is cut off. Only one process may have
// it open so.
func Open(name string) (*Log, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	l, err := open(name, f)
	if err == nil {
		err = l.begin()
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

// Read opens a log to be read. Another process may go on writing it: what comes then is not seen.
func Read(name string) (*Log, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	l, err := open(name, f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return l, nil
}

func open(name string, f file) (*Log, error) {
	l := &Log{name: name, file: f}
	all, err := l.scan()
	l.stats.Bytes, l.stats.Torn = l.good, all-l.good
	return l, err
}

// scan finds out how far the log is good, and how long the file is.
func (l *Log) scan() (size int64, err error) {
	r := &reader{file: l.file}
	begin := make([]byte, len(title))
	switch n, err := l.file.ReadAt(begin, 0); {
	case err != nil && err != io.EOF:
		return 0, err
	case string(begin[:n]) != title[:n]:
		return 0, fmt.Errorf("%s is no state log of this version", l.name)
	case n < len(title):
		return int64(n), nil
	}
	l.good = int64(len(title))
	for {
		buf, err := r.at(l.good)
		if err != nil {
			return 0, err
		}
		b := unframe(buf)
		if b == nil {
			return l.torn(r)
		}
		l.stats.Blocks++
		c := content{left: b}
		h := headOf(&c)
		if c.err != nil || !h.follows(&l.end) {
			return 0, l.damaged("does not follow from those before it")
		}
		l.end = h.Mark
		l.notes = append(l.notes, h.notes...)
		l.stats.CacheFillers += h.pioneerCount
		l.good += int64(headBytes + len(b))
	}
}

// torn finds out whether what is no good block is the end of the log: no good one comes behind it.
func (l *Log) torn(r *reader) (size int64, err error) {
	for at := l.good + 1; ; {
		buf, err := r.find(at)
		if err != nil {
			return 0, err
		}
		k := bytes.Index(buf, []byte(magic))
		if k < 0 {
			if at += int64(max(0, len(buf)-len(magic)+1)); r.ends(at) {
				return r.size(), nil
			}
			continue
		}
		if buf, err = r.at(at + int64(k)); err != nil {
			return 0, err
		}
		if unframe(buf) != nil {
			l.stats.Blocks++
			return 0, l.damaged("is damaged, and good ones come behind it")
		}
		at += int64(k) + 1
	}
}

func (l *Log) damaged(why string) error {
	return &DamagedError{l.name, l.stats.Blocks, l.good, why}
}

// End implements [explore.Log].
func (l *Log) End() explore.Mark { l.flush(); return l.end }

// Notes implements [explore.Log].
func (l *Log) Notes() []byte { l.flush(); return l.notes }

// Stats tells about the file.
func (l *Log) Stats() Stats { l.flush(); return l.stats }

// flush has what was appended written.
func (l *Log) flush() {
	if l.writer != nil {
		l.writer.seal()
	}
}

// Blocks implements [explore.Log]. Nothing is to be appended meanwhile.
func (l *Log) Blocks() iter.Seq2[*explore.Block, error] {
	return func(yield func(*explore.Block, error) bool) {
		l.flush()
		r, at := &reader{file: l.file}, int64(len(title))
		var into explore.Block
		expanded := 0
		for n := 1; at < l.good; n++ {
			buf, err := r.at(at)
			if err != nil {
				yield(nil, err)
				return
			}
			c := content{left: unframe(buf)}
			size := headBytes + len(c.left)
			h := headOf(&c)
			if err := h.block(&c, expanded, &into); err != nil {
				yield(nil, &DamagedError{l.name, n, at, err.Error()})
				return
			}
			if !yield(&into, nil) {
				return
			}
			at += int64(size)
			expanded = h.Expanded
		}
	}
}

// Close has all that was appended written. The error is that of the first write that failed, if any.
func (l *Log) Close() error {
	if l.writer != nil {
		return l.writer.close()
	}
	return l.file.Close()
}
