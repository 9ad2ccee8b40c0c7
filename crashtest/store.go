package crashtest

import (
	"cmp"
	"context"
	"testing"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/crashtest/internal/plaintest"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/search"
	"github.com/macemc/macemc/sim"
)

// Store adapts a storage library to [Check]. D is the type of an open store. Functions that are not needed are nil.
type Store[D any] struct {
	// Open opens the store in an empty or used folder, which exists, with the settings that promise durability.
	Open func(dir string) (D, error)
	// Close closes the store. Without it the store is not reopened between crashes.
	Close func(d D) error

	// Put stores the value of a key of a map. When it returns nil, the value is durable.
	Put func(d D, key, value string) error
	// Get returns the value of a key of a map. ok is false if there is none.
	Get func(d D, key string) (value string, ok bool, err error)
	// Delete removes a key of a map.
	Delete func(d D, key string) error

	// Append adds a record to a log or a queue. When it returns nil, the record is durable.
	Append func(d D, record string) error
	// Records returns the records of a log in their order.
	Records func(d D) ([]string, error)
	// Trim removes the first n records of a log. It is called only if there are more.
	Trim func(d D, n int) error
	// Take removes the first record of a queue and returns it. ok is false if there is none. A record may be taken again after a crash.
	Take func(d D) (record string, ok bool, err error)

	// Maintain does what the library does from time to time: compaction, rotation, a checkpoint.
	Maintain func(d D) error

	// Clients is the number of concurrent clients; 0 means 2.
	Clients int
	// Crashes is the maximum number of crashes in a run; 0 means 3.
	Crashes int
	// Disk is the file system; 0 means ext4, the most common one. Strict POSIX finds each missing sync of a folder.
	Disk FileSystem
	// DiskErrors is the maximum number of errors of the disk in a run, EIO or ENOSPC. Operations may fail then. The store is opened again
	// after a failure, and keeps what it had acknowledged.
	DiskErrors int
}

// FileSystem is a file system of a store.
type FileSystem uint8

// The file systems.
const (
	Ext4 FileSystem = iota
	XFS
	Btrfs
	POSIX // what all file systems promise
)

// String returns the name of a file system.
func (f FileSystem) String() string { return fileSystems[f].String() }

var fileSystems = [...]bubble.FileSystem{Ext4: bubble.Ext4, XFS: bubble.XFS, Btrfs: bubble.Btrfs, POSIX: bubble.POSIX}

// Check checks a store.
func Check[D any](t testing.TB, s Store[D]) {
	t.Helper()
	CheckWith(t, s, mctest.Options{})
}

// CheckWith is Check with options. The default strategy is faulty, as states of programs rarely recur.
func CheckWith[D any](t testing.TB, s Store[D], o mctest.Options) {
	t.Helper()
	o.Strategy = cmp.Or(o.Strategy, search.Faulty)
	mctest.CheckWith(t, s.System(), o)
}

// System returns the checked system: one node, whose program uses the store.
func (s Store[D]) System() sim.System {
	if s.Clients == 0 {
		s.Clients = 2
	}
	if s.Crashes == 0 {
		s.Crashes = 3
	}
	if s.Open == nil || (s.Put == nil) != (s.Get == nil) || (s.Put == nil) == (s.Append == nil) ||
		s.Append != nil && (s.Records == nil) == (s.Take == nil) {
		panic("crashtest: a Store needs Open, and either Put and Get, or Append and Records, or Append and Take")
	}
	reader := "Take"
	switch {
	case s.Get != nil:
		reader = "Get"
	case s.Records != nil:
		reader = "Records"
	}
	source := plaintest.Locate(reader, s.Open, s.Close, s.Put, s.Get, s.Delete, s.Append, s.Records, s.Trim, s.Take, s.Maintain)
	if s.Get != nil {
		source.Keys = allKeys(s.Clients)
	}
	run := func(ctx context.Context, h *bubble.Host) error {
		l := &life[D]{store: &s, h: h}
		return l.run(ctx)
	}
	sys := sim.System{
		Nodes: 1, State: rules, Crashes: s.Crashes, DiskErrors: s.DiskErrors,
		New: func(sim.NodeID) sim.Service {
			return bubble.Command(run, nil, nil, bubble.DataDir(dataDir), fileSystems[s.Disk])
		},
		Monitors: []func() sim.Monitor{func() sim.Monitor { return newDurability(source) }},
	}
	if s.DiskErrors == 0 { // some end the process after an error of the disk, so that nothing more is acknowledged
		sys.Properties = []sim.Property{{Name: "the store does not end the process", Always: runs, Explain: ending}}
	}
	return sys
}

// runs reports whether the process runs, or has crashed.
func runs(v *sim.View) bool { return ending(v) == "" }

// ending returns how the process has ended.
func ending(v *sim.View) string {
	if p, up := v.Service(0).(*bubble.Program); up {
		return p.Ended
	}
	return ""
}

// dataDir is the folder of the store.
const dataDir = "/data"
