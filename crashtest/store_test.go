//go:build macemc_overlay

package crashtest_test

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/macemc/macemc/crashtest"
	"github.com/macemc/macemc/search"
)

// file is a store of records in one file, each with its size and a checksum, and with these bugs.
type file struct {
	f       *os.File
	records []string
	bugs
}

type bugs struct {
	unsynced  bool // Append does not sync
	fragile   bool // a torn last record is an error
	behind    bool // records are appended behind a torn one
	uncreated bool // a file of the creation is not synced, and must not be empty
	rewritten bool // recovery writes the file again, in place
	trusted   bool // recovery takes the copy of an earlier one, which may be incomplete
	retried   bool // a sync that fails is repeated
	exits     bool // a torn last record ends the process
}

func open(dir string, b bugs) (*file, error) {
	name := dir + "/records"
	if _, err := os.Stat(name + ".new"); b.trusted && err == nil {
		if err := os.Rename(name+".new", name); err != nil {
			return nil, err
		}
	}
	if b.uncreated {
		switch version, err := os.ReadFile(dir + "/version"); {
		case err != nil:
			err = os.WriteFile(dir+"/version", []byte("1"), 0o600)
			if err != nil {
				return nil, err
			}
		case string(version) != "1":
			return nil, errors.New("no version")
		}
	}
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	s := &file{f: f, bugs: b}
	all, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	rest := all
	for len(rest) > 0 {
		record, left, ok := cut(rest)
		if !ok {
			break
		}
		s.records, rest = append(s.records, record), left
	}
	if len(rest) > 0 {
		if err := s.recover(name, all, all[:len(all)-len(rest)]); err != nil {
			return nil, err
		}
	}
	_, err = s.f.Seek(0, io.SeekEnd)
	return s, err
}

// recover removes a torn record.
func (s *file) recover(name string, all, whole []byte) error {
	switch {
	case s.fragile:
		return errors.New("damaged record")
	case s.exits:
		os.Exit(3)
	case s.behind:
		return nil
	case s.rewritten:
		return os.WriteFile(name, whole, 0o600)
	case s.trusted:
		if err := os.WriteFile(name+".new", whole, 0o600); err != nil {
			return err
		}
		if err := os.Rename(name+".new", name); err != nil {
			return err
		}
		f, err := os.OpenFile(name, os.O_RDWR, 0o600)
		s.f = f
		return errors.Join(err, f.Sync())
	}
	return s.f.Truncate(int64(len(whole)))
}

const header = 8

func cut(b []byte) (record string, rest []byte, ok bool) {
	if len(b) < header {
		return "", nil, false
	}
	n := int(binary.BigEndian.Uint32(b))
	if len(b) < header+n || crc32.ChecksumIEEE(b[header:header+n]) != binary.BigEndian.Uint32(b[4:]) {
		return "", nil, false
	}
	return string(b[header : header+n]), b[header+n:], true
}

func (s *file) append(record string) error {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(record)))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE([]byte(record)))
	if _, err := s.f.Write(append(b, record...)); err != nil {
		return err
	}
	s.records = append(s.records, record)
	if s.unsynced {
		return nil
	}
	err := s.f.Sync()
	if err != nil && s.retried {
		err = s.f.Sync()
	}
	return err
}

// log is the adapter of a file as a log, queue one as a queue, and mapping one as a map.
func log(b bugs) crashtest.Store[*file] {
	return crashtest.Store[*file]{
		Open:    func(dir string) (*file, error) { return open(dir, b) },
		Append:  (*file).append,
		Records: func(s *file) ([]string, error) { return s.records, nil },
		Close:   func(s *file) error { return s.f.Close() },
		Clients: 1,
	}
}

func mapping(b bugs) crashtest.Store[*file] {
	s := log(b)
	s.Append, s.Records = nil, nil
	s.Put = func(s *file, key, value string) error { return s.append(key + "=" + value) }
	s.Get = func(s *file, key string) (value string, ok bool, err error) {
		for _, r := range s.records {
			if v, of := strings.CutPrefix(r, key+"="); of {
				value, ok = v, true
			}
		}
		return value, ok, nil
	}
	return s
}

func queue(b bugs) crashtest.Store[*file] {
	s := log(b)
	s.Records = nil
	s.Take = func(s *file) (record string, ok bool, err error) {
		if len(s.records) == 0 {
			return "", false, nil
		}
		record, s.records = s.records[0], s.records[1:]
		return record, true, nil
	}
	return s
}

// Bugs are found in each kind of store, also those that need a crash during a recovery, or an error of the disk. A correct store is correct.
func TestCheck(t *testing.T) {
	for _, kind := range []struct {
		name  string
		store func(bugs) crashtest.Store[*file]
	}{{"log", log}, {"map", mapping}, {"queue", queue}} {
		for _, c := range []struct {
			name string
			bugs bugs
			want string
		}{
			{"correct", bugs{}, ""},
			{"unsynced", bugs{unsynced: true}, "acknowledged"},
			{"fragile", bugs{fragile: true}, "the store does not open: damaged record"},
			{"behind", bugs{behind: true}, "acknowledged"},
			{"uncreated", bugs{uncreated: true}, "the store does not open: no version"},
			{"rewritten", bugs{rewritten: true}, "acknowledged"},
			{"trusted", bugs{trusted: true}, "acknowledged"},
			{"retried", bugs{retried: true}, "acknowledged"},
			{"exits", bugs{exits: true}, "exit status 3"},
		} {
			if kind.name != "log" && (c.bugs.behind || c.bugs.rewritten || c.bugs.trusted || c.bugs.retried || c.bugs.exits) {
				continue // as in a log
			}
			for seed := uint64(1); seed <= 3; seed++ {
				store := kind.store(c.bugs)
				if c.want == "" || c.bugs.retried {
					store.DiskErrors = 1
				}
				s := store.System()
				s.Name = kind.name
				paths := 800
				if c.want != "" {
					paths = 20_000
				}
				r, err := search.Run(t.Context(), search.Config{System: s, Workers: 1, Strategy: search.Faulty, MaxPaths: paths, WalkSteps: 60, Seed: seed})
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s, %s, seed %d: %v after %d runs, %d steps", kind.name, c.name, seed, r.Verdict, r.Stats.Paths, r.Stats.Events)
				if (r.Finding != nil) != (c.want != "") || r.Finding != nil && !strings.Contains(r.Finding.Message, c.want) {
					t.Errorf("%s, %s, seed %d: found %+v, want %q", kind.name, c.name, seed, r.Finding, c.want)
				}
			}
		}
	}
}
