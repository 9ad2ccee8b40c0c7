// Names of Unix sockets. The system has a socket with the same file, so that its entry in the folder is that of a socket.

package net

import (
	"os"
	"syscall"
)

// macemcUnixName returns the name of a Unix socket in the table of sockets. The system knows names with a leading zero byte, written as @,
// by the type of the socket, too.
func macemcUnixName(a sockaddr, sotype int) (name macemcName, err error) {
	u, _ := a.(*UnixAddr)
	if u == nil || u.Name == "" {
		return name, syscall.EINVAL
	}
	if u.Name[0] == '@' || u.Name[0] == 0 {
		return macemcName{kind: macemcUnixAbstract + macemcKind(sotype), abstract: u.Name[1:]}, nil
	}
	if macemcInNode() {
		return macemcNodeUnixName(u.Name)
	}
	var info syscall.Stat_t
	if err := syscall.Stat(u.Name, &info); err != nil {
		return name, err
	}
	return macemcName{kind: macemcUnixFile, dev: uint64(info.Dev), ino: uint64(info.Ino)}, nil
}

// macemcBindUnix gives a Unix socket its name. One that connects needs none.
func macemcBindUnix(fd *netFD, laddr sockaddr, needed bool) (err error) {
	u, _ := laddr.(*UnixAddr)
	switch {
	case u == nil && !needed:
		fd.laddr = &UnixAddr{Name: "@", Net: fd.net} // as the system returns no name
		return nil
	case u == nil || u.Name == "":
		return macemcAutobind(fd)
	case u.Name[0] != '@' && u.Name[0] != 0:
		if err := macemcBindFile(fd, u); err != nil {
			return os.NewSyscallError("bind", err)
		}
	}
	fd.laddr = &UnixAddr{Name: u.Name, Net: fd.net}
	if fd.macemcName, err = macemcUnixName(u, fd.sotype); err != nil {
		return os.NewSyscallError("bind", err)
	}
	macemcUseTable()
	if !macemcPublish(fd) {
		return os.NewSyscallError("bind", syscall.EADDRINUSE)
	}
	return nil
}

// macemcBindFile creates the file of a Unix socket.
func macemcBindFile(fd *netFD, u *UnixAddr) error {
	if macemcInNode() {
		return macemcNodeBindFile(u.Name)
	}
	real, err := fd.macemcReal()
	if err != nil {
		return err
	}
	macemcOpens(1)
	err = syscall.Bind(real.pfd.Sysfd, &syscall.SockaddrUnix{Name: u.Name})
	if macemcOpens(-1); err != nil {
		return err
	}
	macemcFiles = append(macemcFiles, u.Name)
	return nil
}

// macemcAutobind gives a Unix socket the first free name, as the system does.
func macemcAutobind(fd *netFD) error {
	for n := 0; ; n++ {
		digits := []byte("00000")
		for i, rest := len(digits)-1, n; rest > 0; i, rest = i-1, rest/16 {
			digits[i] = "0123456789abcdef"[rest%16]
		}
		name := string(digits)
		fd.laddr = &UnixAddr{Name: "@" + name, Net: fd.net}
		fd.macemcName = macemcName{kind: macemcUnixAbstract + macemcKind(fd.sotype), abstract: name}
		macemcUseTable()
		if macemcPublish(fd) {
			return nil
		}
	}
}
