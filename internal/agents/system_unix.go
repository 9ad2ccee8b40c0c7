//go:build unix

package agents

import (
	"net"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// connect returns two connected sockets: that of this process, and that of another one.
func connect() (stream net.Conn, other *os.File, err error) {
	syscall.ForkLock.RLock()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(pair[0])
		syscall.CloseOnExec(pair[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	own := os.NewFile(uintptr(pair[0]), "")
	defer own.Close()
	other = os.NewFile(uintptr(pair[1]), "")
	if stream, err = net.FileConn(own); err != nil {
		other.Close()
	}
	return stream, other, err
}

// endedBy reports whether one of some signals has ended a process.
func endedBy(state *os.ProcessState, signals []os.Signal) bool {
	w, ok := state.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && slices.Contains(signals, os.Signal(w.Signal()))
}

// EndLike ends this process by the signal that has ended another one, if it was ended by one.
func EndLike(state *os.ProcessState) {
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		syscall.Kill(syscall.Getpid(), w.Signal())
	}
}

// endBy ends this process by a signal.
func endBy(s os.Signal) {
	signal.Reset(s)
	syscall.Kill(syscall.Getpid(), s.(syscall.Signal))
}

// Forwarded are the signals that the go command sends to a test.
var Forwarded = []os.Signal{syscall.SIGQUIT}

// lock locks a file until it is closed, and reports whether no other process has locked it.
func lock(f *os.File) bool { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil }
