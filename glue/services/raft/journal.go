package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"

	"github.com/hashicorp/raft"
)

// journal is a raft.LogStore and raft.StableStore in a file with a line of JSON for each change. A change is on disk
// when its method returns.
type journal struct {
	*raft.InmemStore
	f *os.File
}

// change stores logs, deletes those from index Min to Max, or sets a key to Value or Number.
type change struct {
	Logs     []*raft.Log `json:",omitempty"`
	Min, Max uint64
	Key      string
	Value    []byte `json:",omitempty"`
	Number   uint64
}

func openJournal(name string) (*journal, error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	dir, err := os.Open(filepath.Dir(name))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if err := dir.Sync(); err != nil {
		return nil, err
	}
	j := &journal{raft.NewInmemStore(), f}
	end := int64(0)
	for d := json.NewDecoder(f); ; end = d.InputOffset() {
		var c change
		if d.Decode(&c) != nil {
			break // a crash cut the last line
		}
		if err := j.apply(&c); err != nil {
			return nil, err
		}
	}
	if err := f.Truncate(end); err != nil {
		return nil, err
	}
	_, err = f.Seek(end, io.SeekStart)
	return j, err
}

func (j *journal) apply(c *change) error {
	switch {
	case c.Logs != nil:
		return j.InmemStore.StoreLogs(c.Logs)
	case c.Key == "":
		return j.InmemStore.DeleteRange(c.Min, c.Max)
	case c.Value != nil:
		return j.InmemStore.Set([]byte(c.Key), c.Value)
	}
	return j.InmemStore.SetUint64([]byte(c.Key), c.Number)
}

// write writes a change to the file and applies it.
func (j *journal) write(c *change) error {
	line, err := json.Marshal(c)
	if err != nil {
		return err
	}
	if _, err := j.f.Write(append(line, '\n')); err != nil {
		return err
	}
	if err := j.f.Sync(); err != nil {
		return err
	}
	return j.apply(c)
}

func (j *journal) StoreLog(l *raft.Log) error        { return j.StoreLogs([]*raft.Log{l}) }
func (j *journal) StoreLogs(logs []*raft.Log) error  { return j.write(&change{Logs: logs}) }
func (j *journal) DeleteRange(min, max uint64) error { return j.write(&change{Min: min, Max: max}) }
func (j *journal) Set(key, value []byte) error {
	return j.write(&change{Key: string(key), Value: value})
}
func (j *journal) SetUint64(key []byte, n uint64) error {
	return j.write(&change{Key: string(key), Number: n})
}
