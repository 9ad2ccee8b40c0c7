// Modification times of files by the clock of a run. Those of files that the run has not changed precede its beginning.

package os

import (
	"internal/filepathlite"
	"syscall"
	"time"
)

func macemcFileClock() (now, began, real int64, run uint64)

// macemcFileTime is the modification time of a file that the current run has changed.
type macemcFileTime struct {
	dev, ino uint64 // ino 0 marks a free entry
	at       int64  // in nanoseconds since 1970
}

// macemcFileTimes is a hash table. It is not a map, because the order of each new map is drawn.
var macemcFileTimes struct {
	run  uint64 // to which it belongs
	list []macemcFileTime
	n    int
}

// macemcFileEntry returns the entry of a file, or the free one for it. There is always one in a table of a run.
//
//go:norace
func macemcFileEntry(dev, ino uint64) *macemcFileTime {
	list := macemcFileTimes.list
	for i := (ino + dev<<32) * 0x9e3779b97f4a7c15 >> 32; ; i++ {
		if e := &list[i&uint64(len(list)-1)]; e.ino == 0 || e.dev == dev && e.ino == ino {
			return e
		}
	}
}

// macemcSetFileTime sets the modification time of a file in a run.
//
//go:norace
func macemcSetFileTime(st *syscall.Stat_t, at int64, run uint64) {
	t := &macemcFileTimes
	if t.run != run {
		t.run, t.n, t.list = run, 0, make([]macemcFileTime, 64)
	}
	if 2*t.n >= len(t.list) {
		old := t.list
		t.list = make([]macemcFileTime, 4*len(old))
		for _, e := range old {
			if e.ino != 0 {
				*macemcFileEntry(e.dev, e.ino) = e
			}
		}
	}
	e := macemcFileEntry(uint64(st.Dev), uint64(st.Ino))
	if e.ino == 0 {
		t.n++
	}
	*e = macemcFileTime{uint64(st.Dev), uint64(st.Ino), at}
}

// macemcShowTimes replaces the modification time of a file by that of the clock of the calling run.
//
//go:norace
func macemcShowTimes(st *syscall.Stat_t) {
	_, began, real, run := macemcFileClock()
	if run == 0 {
		return
	}
	at := began
	if m := st.Mtim.Nano(); m <= real {
		at += m - real
	}
	if macemcFileTimes.run == run {
		if e := macemcFileEntry(uint64(st.Dev), uint64(st.Ino)); e.ino != 0 {
			at = e.at
		}
	}
	st.Mtim = syscall.NsecToTimespec(at)
}

// macemcHasFile reports whether a run that uses a path finds a file there.
func macemcHasFile(name string) bool {
	var st syscall.Stat_t
	_, _, _, run := macemcFileClock()
	return run != 0 && syscall.Lstat(name, &st) == nil
}

// macemcChangedFile is called when a run changes a file or the entries of a folder.
func macemcChangedFile(name string) {
	var st syscall.Stat_t
	if now, _, _, run := macemcFileClock(); run != 0 && syscall.Lstat(name, &st) == nil {
		if st.Mode&syscall.S_IFMT == syscall.S_IFLNK {
			macemcSetFileTime(&st, now, run)
			if syscall.Stat(name, &st) != nil {
				return
			}
		}
		macemcSetFileTime(&st, now, run)
	}
}

// macemcWrites is called when a run is about to write to a file.
func (f *File) macemcWrites() {
	var st syscall.Stat_t
	if now, _, _, run := macemcFileClock(); run != 0 && f != nil && f.pfd.Fstat(&st) == nil && st.Mode&syscall.S_IFMT == syscall.S_IFREG {
		macemcSetFileTime(&st, now, run)
	}
}

// macemcOpened is called when a run has opened a file with O_CREATE or O_TRUNC.
func macemcOpened(name string, flag int, before bool) {
	if before && flag&O_TRUNC != 0 {
		macemcChangedFile(name)
	}
	macemcEntryChanged(name, before, true)
}

// macemcEntryChanged is called when a run may have added an entry to a folder or removed one. makes means that the file would be new.
func macemcEntryChanged(name string, before, makes bool) {
	after := macemcHasFile(name)
	if after == before {
		return
	}
	macemcChangedFile(filepathlite.Dir(name))
	switch {
	case after && makes:
		macemcChangedFile(name)
		macemcMakes(name)
	case !after:
		macemcRemoved(name)
	}
}

// macemcTimesSet is called when a run has set the modification time of a file, unless that has failed. File systems round it.
func macemcTimesSet(name string, mtime time.Time) {
	var st syscall.Stat_t
	if _, _, _, run := macemcFileClock(); run == 0 || mtime.IsZero() || syscall.Stat(name, &st) != nil {
		return
	} else if d := time.Unix(st.Mtim.Unix()).Sub(mtime).Abs(); d <= 2*time.Second {
		macemcSetFileTime(&st, st.Mtim.Nano(), run)
	}
}
