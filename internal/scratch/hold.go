package scratch

import (
	"errors"
	"os"
	"time"
)

// ErrHeld is the error of [Hold] when another process holds the lock.
var ErrHeld = errors.New("another process uses it")

// patience is how long a lock is waited for: a process that is being killed may hold it for a moment.
const patience = 3 * time.Second

// Hold takes the lock that a file stands for, which is made when it is not there, until the result is called or the process
// ends. On systems without such locks it takes none.
func Hold(name string) (release func(), err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, err
	}
	for began := time.Now(); canLock && !locked(f); time.Sleep(patience / 100) {
		if time.Since(began) > patience {
			f.Close()
			return nil, ErrHeld
		}
	}
	return func() { f.Close() }, nil
}

// Held reports whether another process holds the lock of a file, if the system can tell.
func Held(name string) bool {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return canLock && !locked(f)
}
