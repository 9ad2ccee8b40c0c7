//go:build unix

package flight

import (
	"os"
	"syscall"
)

// mmap maps the file so that its content outlives the process. It is never unmapped, because a handler that does not
// return may still write.
func mmap(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}
