// Package statelog stores the states of an exploration in a file: an append-only log of blocks with checksums. A
// process that is killed loses only its last moments of work.
//
// A file that ends in the middle of a block is truncated after the last good one. A file with a damaged block before
// good ones is rejected.
package statelog

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"

	"github.com/macemc/macemc/internal/explore"
	"github.com/macemc/macemc/internal/infile"
)

// title is the start of files. Its number changes with the format, and when tables list other edges, since a log has
// their hashes.
const title = "macemc state log 3\n"

// Log is a log in a file. It implements [explore.Log].
type Log struct {
	name   string
	file   file
	good   int64 // bytes of title and good blocks
	end    explore.Mark
	notes  []byte
	stats  Stats
	writer *writer // nil if the log is only read
}

// Stats describes a file.
type Stats struct {
	Bytes        int64 // without torn ones
	Torn         int64 // bytes at the end that do not form a block
	Blocks       int
	CacheFillers int
}

// file is the part of [os.File] in use.
type file interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error
}

// DamagedError reports that a file is not a valid log any more.
type DamagedError struct {
	Name   string
	Block  int   // counted from 1
	Offset int64 // start of the block
	Why    string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s: block %d, at byte %d, %s: restore the file, or begin in another folder", e.Name, e.Block, e.Offset, e.Why)
}

// Open opens a log to continue it, and creates it if needed. A torn end is truncated. Only one process may have it open
// this way.
func Open(name string) (*Log, error) {
	if err := infile.Check(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
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

// Read opens a log for reading. If another process continues to write it, later blocks are not seen.
func Read(name string) (*Log, error) {
	if err := infile.Check(name); err != nil {
		return nil, err
	}
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

// scan determines the length of the good part of the log, and that of the file.
func (l *Log) scan() (size int64, err error) {
	r := &reader{file: l.file}
	begin := make([]byte, len(title))
	switch n, err := l.file.ReadAt(begin, 0); {
	case err != nil && err != io.EOF:
		return 0, err
	case string(begin[:n]) != title[:n]:
		return 0, fmt.Errorf("%s is not a state log of this version", l.name)
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
		l.stats.CacheFillers += h.fillerCount
		l.good += int64(headBytes + len(b))
	}
}

// torn checks that a bad block is the end of the log: no good one follows.
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

// Stats returns the statistics of the file.
func (l *Log) Stats() Stats { l.flush(); return l.stats }

// flush writes everything appended.
func (l *Log) flush() {
	if l.writer != nil {
		l.writer.seal()
	}
}

// Blocks implements [explore.Log]. Nothing may be appended meanwhile.
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

// Close writes everything appended. The error is that of the first write that failed, if any.
func (l *Log) Close() error {
	if l.writer != nil {
		return l.writer.close()
	}
	return l.file.Close()
}
