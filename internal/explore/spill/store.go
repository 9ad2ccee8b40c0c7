package spill

import (
	"os"
	"unsafe"
)

// Store is a file of byte strings. Each is read again by the [Span] that Append returned. Errors are sticky, and reads
// after an error return zeros.
type Store struct {
	dir  string
	file *os.File
	end  int64
	err  error
}

// Span is the position of a byte string, with its length and hash.
type Span struct {
	at   int64
	n    uint32
	hash uint32
}

// SpanBytes is the memory of a span.
const SpanBytes = int(unsafe.Sizeof(Span{}))

// NewStore makes an empty store with a file in a folder. The file is created when needed.
func NewStore(dir string) *Store { return &Store{dir: dir} }

// Append adds a byte string, and does not keep b.
func (s *Store) Append(b []byte) (at Span) {
	if s.err != nil {
		return at
	}
	if s.file == nil {
		if s.file, s.err = create(s.dir); s.err != nil {
			return at
		}
	}
	if _, s.err = s.file.WriteAt(b, s.end); s.err != nil {
		return at
	}
	at = Span{s.end, uint32(len(b)), sum(b)}
	s.end += int64(len(b))
	return at
}

// Read reads the byte string of a span, which is as long as b.
func (s *Store) Read(at Span, b []byte) {
	if s.err == nil {
		_, s.err = s.file.ReadAt(b, at.at)
	}
	if s.err == nil && sum(b) != at.hash {
		s.err = damaged(s.dir)
	}
	if s.err != nil {
		clear(b)
	}
}

// Err returns the first error, or nil.
func (s *Store) Err() error { return s.err }

// Reset removes all content.
func (s *Store) Reset() {
	if s.end > 0 && s.err == nil {
		s.err = s.file.Truncate(0)
	}
	s.end = 0
}

// Disk returns the number of bytes in the file.
func (s *Store) Disk() int64 { return s.end }

// Close closes the file.
func (s *Store) Close() {
	if s.file != nil {
		s.file.Close()
	}
}
