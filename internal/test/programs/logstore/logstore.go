// Package logstore is an example of a program with files: a map on disk, stored as snapshots and a log of changes.
package logstore

import (
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
)

// Store is a map whose changes are durable when Put returns. The log holds the changes since the last snapshot.
type Store struct {
	dir    string
	log    *os.File
	logged int // changes in the log
	values map[string]string
}

// logLimit is the number of changes after which a snapshot replaces the log.
const logLimit = 3

// omitted names the step that a test leaves out.
var omitted string

// Open opens the store of a directory.
func Open(dir string) (*Store, error) {
	s := &Store{dir: dir, values: map[string]string{}}
	snapshot, err := os.ReadFile(s.path("snapshot"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if n := s.load(snapshot); n < len(snapshot) {
		return nil, fmt.Errorf("the snapshot is damaged after %d bytes", n)
	}
	if s.log, err = os.OpenFile(s.path("log"), os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644); err != nil {
		return nil, err
	}
	if err := s.syncDir(); err != nil { // the log may be new
		return nil, err
	}
	log, err := os.ReadFile(s.path("log"))
	if err != nil {
		return nil, err
	}
	if n := s.load(log); n < len(log) { // a crash has torn the last change
		if err := s.log.Truncate(int64(n)); err != nil {
			return nil, err
		}
		return s, s.log.Sync()
	}
	return s, nil
}

// Get returns a value.
func (s *Store) Get(key string) string { return s.values[key] }

// Put sets a value.
func (s *Store) Put(key, value string) error {
	if _, err := s.log.Write(record(key, value)); err != nil {
		return err
	}
	if omitted != "sync of the log" {
		if err := s.log.Sync(); err != nil {
			return err
		}
	}
	s.values[key] = value
	if s.logged++; s.logged < logLimit {
		return nil
	}
	return s.snapshot()
}

// snapshot replaces the log.
func (s *Store) snapshot() error {
	f, err := os.Create(s.path("new"))
	if err != nil {
		return err
	}
	defer f.Close()
	for key, value := range s.values {
		if _, err := f.Write(record(key, value)); err != nil {
			return err
		}
	}
	if omitted != "sync of the snapshot" {
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if err := os.Rename(s.path("new"), s.path("snapshot")); err != nil {
		return err
	}
	if omitted != "sync of the directory" {
		if err := s.syncDir(); err != nil {
			return err
		}
	}
	s.logged = 0
	if err := s.log.Truncate(0); err != nil {
		return err
	}
	return s.log.Sync()
}

func (s *Store) syncDir() error {
	d, err := os.Open(s.dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func (s *Store) path(name string) string { return filepath.Join(s.dir, name) }

// record encodes a change as a line with a checksum.
func record(key, value string) []byte {
	text := fmt.Appendf(nil, "%q %q", key, value)
	return fmt.Appendf(nil, "%08x %s\n", crc32.ChecksumIEEE(text), text)
}

// load makes the changes of a log, and returns how many of its bytes are whole records.
func (s *Store) load(log []byte) int {
	whole := 0
	for line := range bytes.Lines(log) {
		var sum uint32
		var key, value string
		if _, err := fmt.Sscanf(string(line), "%08x %q %q\n", &sum, &key, &value); err != nil || !bytes.Equal(line, record(key, value)) {
			if omitted != "checksums" {
				break
			}
		}
		s.values[key] = value
		s.logged++
		whole += len(line)
	}
	return whole
}
