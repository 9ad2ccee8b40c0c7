package agents

import (
	"os"
	"path/filepath"
	"sync"
)

// Cores counts the processor cores that the processes of one command use, which the go command starts. Each use is a locked file, because
// the system unlocks those of a process that is killed.
type Cores struct {
	folder string // empty means that only the core of this process may be used
	most   int
	others sync.WaitGroup // workers with other processes
}

// NewCores returns the cores of a command: at most so many. This process uses one, even if all are in use.
func NewCores(folder string, most int) *Cores {
	c := &Cores{folder: folder, most: most}
	if folder != "" && os.MkdirAll(folder, 0o700) == nil {
		c.use()
	}
	return c
}

// Wait waits for the end of the processes that pools have started.
func (c *Cores) Wait() { c.others.Wait() }

// use uses a core, free or not. It returns nil if that is not possible.
func (c *Cores) use() *os.File {
	const attempts = 10
	for range attempts {
		f, err := os.CreateTemp(c.folder, "core-")
		if err != nil {
			return nil
		}
		if lock(f) {
			if _, err := os.Lstat(f.Name()); err == nil { // another process may have found the file before it was locked
				return f
			}
		}
		f.Close()
	}
	return nil
}

// claim returns a function that releases a core. nil means that none is free.
func (c *Cores) claim() (release func()) {
	if c.folder == "" || c.most < 2 {
		return nil
	}
	f := c.use()
	if f == nil {
		return nil
	}
	release = func() {
		os.Remove(f.Name())
		f.Close()
	}
	if c.used() > c.most {
		release()
		return nil
	}
	return release
}

// used counts the cores in use, and removes the files of processes that have ended.
func (c *Cores) used() (n int) {
	names, _ := filepath.Glob(filepath.Join(c.folder, "core-*"))
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		if lock(f) {
			os.Remove(name)
		} else {
			n++
		}
		f.Close()
	}
	return n
}
