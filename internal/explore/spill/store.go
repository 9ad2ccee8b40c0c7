package spill

import (
	"os"
	"unsafe"
)

// Store is a file of byte strings, each of which is read again by the [Span] that it was given. An error remains; what is read then is
// zero.
type Store struct {
	dir  string
	file *os.File
	end  int64
	err  error
}

// Span is where a byte string lies, and what it was.
type Span struct {
	at   int64
	n    uint32
	hash uint32
}

// SpanBytes is the memory that a span takes.
const SpanBytes = int(unsafe.Sizeof(Span{}))

// NewStore makes an empty store, whose file lies in a folder. It is made when it is needed.
func NewStore(dir string) *Store { return &Store{dir: dir} }

// Append adds a byte string, which remains the caller's.
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

// Err is the first error; nil: there was none.
func (s *Store) Err() error { return s.err }

// Reset forgets everything.
func (s *Store) Reset() {
	if s.end > 0 && s.err == nil {
		s.err = s.file.Truncate(0)
	}
	s.end = 0
}

// Disk is how many bytes are in the file.
func (s *Store) Disk() int64 { return s.end }

// Close gives the file back.
func (s *Store) Close() {
	if s.file != nil {
		s.file.Close()
	}
}
