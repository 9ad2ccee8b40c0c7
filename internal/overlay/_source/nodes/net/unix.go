// Unix sockets of nodes, and sockets that packages have opened before there were nodes.

package net

import (
	"context"
	"io/fs"
	"os"
	"syscall"
	_ "unsafe"
)

//go:linkname macemcNodeStat os.macemcStat
func macemcNodeStat(op, name string) (info os.FileInfo, own bool, err error)

//go:linkname macemcNodeChange os.macemcChange
func macemcNodeChange(op, name string, size int64) (own bool, err error)

// macemcNodeBound returns the Unix sockets of the calling goroutine's node, which macemcBound contains for a test.
func macemcNodeBound() *[256]*netFD {
	v := macemcNetwork.Value("net.bound")
	if *v == nil {
		*v = new([256]*netFD)
	}
	return (*v).(*[256]*netFD)
}

// macemcNodeUnixName is macemcUnixName for a file. The node does not have the sockets of the machine.
func macemcNodeUnixName(file string) (name macemcName, err error) {
	info, own, err := macemcNodeStat("stat", file)
	if !own && err == nil {
		if info, err = os.Stat(file); err == nil && info.Mode()&fs.ModeSocket != 0 {
			err = syscall.ENOENT
		}
	}
	if e, ok := err.(*os.PathError); ok {
		err = e.Err
	}
	if err != nil {
		return name, err
	}
	name = macemcName{kind: macemcUnixFile, abstract: file}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		name = macemcName{kind: macemcUnixFile, dev: uint64(st.Dev), ino: uint64(st.Ino)}
	}
	return name, nil
}

// macemcNodeBindFile creates the file of a Unix socket.
func macemcNodeBindFile(file string) error {
	own, err := macemcNodeChange("socket", file, 0)
	if e, ok := err.(*os.PathError); ok {
		err = e.Err
	}
	if !own && err == nil {
		macemcNetwork.Refuse("it makes the Unix socket " + file)
	}
	return err
}

// macemcInherited returns the socket that a node has in place of one that a package opened when it was initialized, outside of nodes.
func macemcInherited(fd *netFD) *netFD {
	if fd == nil || fd.fakeNetFD != nil {
		return fd
	}
	local, ok := fd.laddr.(*UnixAddr)
	if !ok || fd.sotype != syscall.SOCK_DGRAM {
		macemcNetwork.Refuse("it uses a socket that a package has opened before the node began")
	}
	v := macemcNetwork.Value("net.inherited")
	all, _ := (*v).(map[*netFD]*netFD)
	if all == nil {
		all = map[*netFD]*netFD{}
		*v = all
	}
	if all[fd] == nil {
		var raddr sockaddr
		if peer, ok := fd.raddr.(*UnixAddr); ok {
			raddr = peer
		}
		if local.Name != "" && local.Name[0] == '@' {
			local = &UnixAddr{Net: local.Net} // the name may be in use, or one that the system has chosen
		}
		own, err := macemcNewSocket(context.Background(), fd.net, fd.family, fd.sotype, false, local, raddr, nil)
		if err != nil {
			macemcNetwork.Refuse("it uses a socket that a package has opened before the node began: " + err.Error())
		}
		all[fd] = own
	}
	return all[fd]
}
