package statelog

import (
	"encoding/binary"
	"io"
)

// reader reads a file through a window.
type reader struct {
	file   file
	begin  int64
	window []byte
	last   bool // the window extends to the end of the file
}

const windowBytes = 1 << 20

// at returns the content of the file from an offset on: at least the whole block that begins there, if one does.
func (r *reader) at(offset int64) ([]byte, error) {
	buf, err := r.from(offset, windowBytes)
	if err == nil && len(buf) >= headBytes {
		if n := int64(headBytes) + int64(binary.LittleEndian.Uint32(buf[len(magic):])); n > int64(len(buf)) && string(buf[:len(magic)]) == magic {
			return r.from(offset, n)
		}
	}
	return buf, err
}

// find returns the content of the file from an offset on, up to the end of the window.
func (r *reader) find(offset int64) ([]byte, error) { return r.from(offset, int64(len(magic))) }

// from returns at least that many bytes from an offset on, unless the file ends before.
func (r *reader) from(offset, least int64) ([]byte, error) {
	if k := offset - r.begin; k >= 0 && k <= int64(len(r.window)) && (r.last || int64(len(r.window))-k >= least) {
		return r.window[k:], nil
	}
	if r.last && offset > r.begin {
		return nil, nil // beyond the end
	}
	// A damaged length may exceed the file, so memory is allocated only for data that is read.
	got, err := io.ReadAll(io.NewSectionReader(r.file, offset, max(least, 2*windowBytes)))
	r.begin, r.window = offset, got
	r.last = int64(len(got)) < max(least, 2*windowBytes)
	return got, err
}

// ends reports whether the file ends at an offset.
func (r *reader) ends(offset int64) bool { return r.last && offset >= r.size()-int64(len(magic))+1 }

// size returns the size of the file, once its end was read.
func (r *reader) size() int64 { return r.begin + int64(len(r.window)) }
