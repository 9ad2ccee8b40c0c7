// What runs leave in the folder for temporary files. It would be in the way of other tests and runs, which may draw the same numbers for names.

package os

import (
	"internal/filepathlite"
	"syscall"
)

// macemcTemporaryFolder is that folder, also in a run that sets another one.
var macemcTemporaryFolder = macemcAbsolute(TempDir())

// macemcLeft lists what the current run has created directly in it and has not removed, and the names of what it has removed and others had
// created. What it gives these names later is not new.
var macemcLeft *macemcLeftFile

type macemcLeftFile struct {
	name     []byte // a copy, byte by byte: goroutines of the run that made names are not synchronized with each other
	dev, ino uint64 // others may remove the file, and create one of the same name; 0 means a file of others
	next     *macemcLeftFile
}

// macemcAbsolute returns the absolute name of a file.
func macemcAbsolute(name string) string {
	if !filepathlite.IsAbs(name) {
		if folder, err := syscall.Getwd(); err == nil {
			name = folder + "/" + name
		}
	}
	return filepathlite.Clean(name)
}

// macemcInTemporaryFolder returns the absolute name of a file if it is directly in that folder, else "".
func macemcInTemporaryFolder(name string) string {
	if name = macemcAbsolute(name); filepathlite.Dir(name) != macemcTemporaryFolder {
		return ""
	}
	return name
}

// macemcMakes is called when a run has created a file or folder.
func macemcMakes(name string) {
	var st syscall.Stat_t
	if name = macemcInTemporaryFolder(name); name != "" && syscall.Lstat(name, &st) == nil {
		macemcAddLeft(name, &st)
	}
}

//go:norace
func macemcAddLeft(name string, st *syscall.Stat_t) {
	for f := macemcLeft; f != nil; f = f.next {
		if string(f.name) == name && f.ino == 0 {
			return
		}
	}
	f := &macemcLeftFile{make([]byte, len(name)), uint64(st.Dev), uint64(st.Ino), macemcLeft}
	for i := range f.name {
		f.name[i] = name[i]
	}
	macemcLeft = f
}

// macemcRenamed is called when a run may have renamed a file. The name may have belonged to another file before.
func macemcRenamed(name string, before bool) {
	var st syscall.Stat_t
	if name = macemcInTemporaryFolder(name); name != "" && !before && syscall.Lstat(name, &st) == nil && macemcHasLeft(&st) {
		macemcAddLeft(name, &st)
	}
}

//go:norace
func macemcHasLeft(st *syscall.Stat_t) bool {
	for f := macemcLeft; f != nil; f = f.next {
		if f.dev == uint64(st.Dev) && f.ino == uint64(st.Ino) {
			return true
		}
	}
	return false
}

// macemcRemoved is called when a run has removed or renamed a file. What has its name later may belong to others.
func macemcRemoved(name string) {
	if name = macemcInTemporaryFolder(name); name != "" {
		macemcDropLeft(name)
	}
}

//go:norace
func macemcDropLeft(name string) {
	for at := &macemcLeft; *at != nil; at = &(*at).next {
		if f := *at; string(f.name) == name {
			if f.ino != 0 {
				*at = f.next
			}
			return
		}
	}
	macemcAddLeft(name, new(syscall.Stat_t))
}

// macemcRemoveLeft is called after a run, and removes what it has left there, unless variables of later runs refer to that.
//
//go:norace
func macemcRemoveLeft(restores bool) {
	for f := macemcLeft; f != nil && restores; f = f.next {
		var st syscall.Stat_t
		if name := string(f.name); syscall.Lstat(name, &st) == nil && f.dev == uint64(st.Dev) && f.ino == uint64(st.Ino) {
			RemoveAll(name)
		}
	}
	macemcLeft = nil
}
