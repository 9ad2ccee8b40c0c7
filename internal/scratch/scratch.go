// Package scratch makes temporary folders. A process removes the folders that killed processes left. It recognizes them
// by their locks, which the system releases when a process ends.
package scratch

import (
	"os"
	"path/filepath"
)

// Folder is a temporary folder of this process.
type Folder struct {
	Path string
	lock *os.File // nil means that the folder lies in another one, or that locks are not available
}

const (
	prefix   = "macemc-"
	lockFile = "lock"
)

// New makes a folder in that of another process, which then lives longer than this one. In "" it makes one among
// the temporary files of the machine, and removes those that processes of this user left there.
func New(in string) (*Folder, error) {
	if in == "" {
		sweep(os.TempDir())
	}
	path, err := os.MkdirTemp(in, prefix)
	if err != nil {
		return nil, err
	}
	f := &Folder{Path: path}
	if in == "" {
		f.lock = hold(path)
	}
	return f, nil
}

// Remove removes the folder with all that is in it.
func (f *Folder) Remove() {
	os.RemoveAll(f.Path)
	if f.lock != nil {
		f.lock.Close()
	}
}

// hold locks the folder until the process ends. The lock appears under its name when it is held, so that a
// folder without one may be in the making.
func hold(dir string) *os.File {
	temp := filepath.Join(dir, lockFile+".new")
	f, err := os.OpenFile(temp, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil
	}
	if !locked(f) || os.Rename(temp, filepath.Join(dir, lockFile)) != nil {
		f.Close()
		os.Remove(temp)
		return nil
	}
	return f
}

// sweep removes the folders without a locked lock file. Folders that cannot be removed stay.
func sweep(in string) {
	names, err := filepath.Glob(filepath.Join(in, prefix+"*"))
	if err != nil {
		return
	}
	for _, dir := range names {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || !own(info) {
			continue
		}
		f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR, 0)
		if err != nil {
			continue
		}
		if locked(f) {
			os.RemoveAll(dir)
		}
		f.Close()
	}
}
