package spill

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// create makes a file in a folder. The file disappears when it is closed.
func create(dir string) (*os.File, error) {
	f, err := os.CreateTemp(dir, "spill-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// Clean removes files left in a folder by a process that was killed while it created them. No other process may use the
// folder.
func Clean(dir string) {
	left, _ := filepath.Glob(filepath.Join(dir, "spill-*"))
	for _, file := range left {
		_ = os.Remove(file) // a remaining file is harmless
	}
}

var errDamaged = errors.New("it is not what was written there")

func damaged(dir string) error {
	return fmt.Errorf("the states on disk in %s cannot be read back: %w", dir, errDamaged)
}

// Spool is a list of chunks, taken once each, in order. A limited number of bytes is held in memory, the
// rest in a file.
type Spool struct {
	most  int
	held  [][]byte
	bytes int    // of held
	spans []Span // of the chunks after held
	store *Store
	next  int // index of the next chunk to take
	buf   []byte
}

// NewSpool makes an empty spool with a file in a folder. The file is created when needed.
func NewSpool(dir string, most int) *Spool { return &Spool{most: most, store: NewStore(dir)} }

// Append adds a copy of a chunk.
func (s *Spool) Append(chunk []byte) error {
	if len(s.spans) == 0 && s.bytes+len(chunk) <= s.most {
		s.held = append(s.held, bytes.Clone(chunk))
		s.bytes += len(chunk)
		return nil
	}
	s.spans = append(s.spans, s.store.Append(chunk))
	return s.store.Err()
}

// Next takes a chunk, which is valid until the next call. It returns nil if there is none.
func (s *Spool) Next() ([]byte, error) {
	k := s.next
	if k < len(s.held) {
		chunk := s.held[k]
		s.held[k], s.next = nil, k+1
		s.bytes -= len(chunk)
		return chunk, nil
	}
	if k -= len(s.held); k == len(s.spans) {
		return nil, nil
	}
	s.next++
	s.buf = slices.Grow(s.buf[:0], int(s.spans[k].n))[:s.spans[k].n]
	s.store.Read(s.spans[k], s.buf)
	return s.buf, s.store.Err()
}

// Reset makes the spool empty.
func (s *Spool) Reset() error {
	clear(s.held)
	s.held, s.bytes, s.spans, s.next = s.held[:0], 0, s.spans[:0], 0
	s.store.Reset()
	return s.store.Err()
}

// Bytes returns the memory of the spool.
func (s *Spool) Bytes() int { return s.bytes + 24*cap(s.held) + SpanBytes*cap(s.spans) + cap(s.buf) }

// Disk returns the number of bytes in the file.
func (s *Spool) Disk() int64 { return s.store.Disk() }

// Close closes the file.
func (s *Spool) Close() { s.store.Close() }
