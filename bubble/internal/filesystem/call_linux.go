//go:build linux && (amd64 || arm64)

package filesystem

import (
	"bytes"
	"fmt"
	"syscall"
)

// Call is a system call of a program.
type Call struct {
	Trap uintptr
	Args [6]uintptr
	// OnStack has a bit for each argument that points to the stack of the caller, which may move. It is the distance from the end of the
	// stack.
	OnStack uint8
}

// Machine provides the memory and the system calls of the machine of the checker.
var Machine struct {
	Copy func(b []byte, at uintptr, onStack, store bool)
	Call func(trap uintptr, args [6]uintptr, onStack uint8) (uintptr, syscall.Errno)
}

// Unsupported is a system call that is not simulated.
type Unsupported string

func (u Unsupported) Error() string { return string(u) + " is not simulated" }

func (c *Call) onStack(i int) bool { return c.OnStack>>i&1 == 1 }

// Load returns n bytes at the address in argument i.
func (c *Call) Load(i, n int) []byte {
	b := make([]byte, n)
	Machine.Copy(b, c.Args[i], c.onStack(i), false)
	return b
}

// Store writes b to the address in argument i.
func (c *Call) Store(i int, b []byte) { Machine.Copy(b, c.Args[i], c.onStack(i), true) }

// Text returns the string that ends with a zero byte at the address in argument i.
func (c *Call) Text(i int) string {
	var text bytes.Buffer
	one := make([]byte, 1)
	for at := uintptr(0); text.Len() < syscall.PathMax; at++ {
		from := c.Args[i] + at
		if c.onStack(i) {
			from = c.Args[i] - at
		}
		Machine.Copy(one, from, c.onStack(i), false)
		if one[0] == 0 {
			break
		}
		text.WriteByte(one[0])
	}
	return text.String()
}

// Pass makes the system call on the machine of the checker.
func (c *Call) Pass() (uintptr, error) {
	r, errno := Machine.Call(c.Trap, c.Args, c.OnStack)
	if errno != 0 {
		return r, errno
	}
	return r, nil
}

// Name returns the name of the system call for messages.
func (c *Call) Name() string {
	switch name := callNames[c.Trap]; name {
	case "":
		return fmt.Sprint("system call ", c.Trap)
	case "fcntl", "ioctl":
		return fmt.Sprintf("%s with command %d", name, c.Args[1])
	default:
		return name
	}
}

// callNames are the names of system calls that programs make on descriptors of files.
var callNames = map[uintptr]string{
	syscall.SYS_READ: "read", syscall.SYS_WRITE: "write", syscall.SYS_READV: "readv", syscall.SYS_WRITEV: "writev",
	syscall.SYS_PREAD64: "pread", syscall.SYS_PWRITE64: "pwrite", syscall.SYS_PREADV: "preadv", syscall.SYS_PWRITEV: "pwritev",
	syscall.SYS_FCHDIR: "fchdir", syscall.SYS_DUP: "dup", syscall.SYS_DUP3: "dup3", syscall.SYS_SENDFILE: "sendfile",
	syscall.SYS_SPLICE: "splice", syscall.SYS_FCNTL: "fcntl", syscall.SYS_IOCTL: "ioctl", syscall.SYS_FGETXATTR: "fgetxattr",
	syscall.SYS_FSETXATTR: "fsetxattr", syscall.SYS_MREMAP: "mremap", syscall.SYS_CHDIR: "chdir",
}
