package overlay

import (
	"regexp"
	"strings"
)

// fakeFile is the file of the in-memory network in package net.
const fakeFile = "net/zz_macemc_fake.go"

const isClosed = " if atomic.LoadUint32(&ffd.closed) != 0 "

// socketChanges make operations on a closed socket fail at once, and pass datagrams to functions for them.
var socketChanges = func() []change {
	list := []change{
		{fakeFile, lastField{"fakeNetFD"}, " macemcSocket; ", whyNet},
		{fakeFile, lastField{"packetQueueState"}, " readShut, reset, refused bool; ", whyNet},
		{fakeFile, lastField{"deadlineTimer"}, " macemcAt int64; ", whyNet},
		{fakeFile, lastField{"packet"}, " macemcHeader; ", whyNet},
		{fakeFile, atStart{"fakeNetFD.Close"},
			" if atomic.SwapUint32(&ffd.closed, 1) != 0 { return ErrClosed }; ffd.macemcUnbind(); ", whyNet},
		{fakeFile, atStart{"fakeNetFD.accept"}, isClosed + "{ return nil, ErrClosed }; ", whyNet},
		{fakeFile, atStart{"fakeNetFD.Read"}, isClosed + "{ return 0, ErrClosed }; if len(p) == 0 { return 0, nil }; " +
			"if ffd.fd.macemcDatagrams() { d, err := ffd.macemcReceive(\"read\", p, true, false); return d.n, err }; ", whyNet},
		{fakeFile, atStart{"fakeNetFD.Write"}, isClosed + "{ return 0, ErrClosed }; " +
			"if ffd.fd.macemcDatagrams() { return ffd.macemcSend(\"write\", p, nil, ffd.macemcDefaults()) }; ", whyNet},
	}
	for m := range strings.FieldsSeq("closeRead closeWrite SetReadDeadline SetWriteDeadline") {
		list = append(list, change{fakeFile, atStart{"fakeNetFD." + m}, isClosed + "{ return ErrClosed }; ", whyNet})
	}
	return list
}()

// netChanges pass the methods of sockets to the in-memory network.
var netChanges = func() (list []change) {
	for _, c := range []struct{ method, call string }{
		{"Close", "macemcClose(fd)"}, {"closeRead", "fd.fakeNetFD.closeRead()"}, {"closeWrite", "fd.fakeNetFD.closeWrite()"},
		{"Read", "fd.fakeNetFD.Read(p)"}, {"Write", "fd.fakeNetFD.Write(p)"},
		{"readFrom", "macemcReadFrom(fd, p)"}, {"readMsg", "macemcReadMsg(fd, p, oob)"},
		{"readFromInet4", "macemcReadFromInet(fd, p, from)"}, {"readFromInet6", "macemcReadFromInet(fd, p, from)"},
		{"readMsgInet4", "macemcReadMsgInet(fd, p, oob, sa)"}, {"readMsgInet6", "macemcReadMsgInet(fd, p, oob, sa)"},
		{"writeTo", "macemcWriteTo(fd, p, sa)"}, {"writeToInet4", "macemcWriteTo(fd, p, macemcCopy(sa))"},
		{"writeToInet6", "macemcWriteTo(fd, p, macemcCopy(sa))"}, {"writeMsg", "macemcWriteMsg(fd, p, oob, sa)"},
		{"writeMsgInet4", "macemcWriteMsg(fd, p, oob, macemcCopy(sa))"},
		{"writeMsgInet6", "macemcWriteMsg(fd, p, oob, macemcCopy(sa))"}, {"SetDeadline", "fd.fakeNetFD.SetDeadline(t)"},
		{"SetReadDeadline", "fd.fakeNetFD.SetReadDeadline(t)"}, {"SetWriteDeadline", "fd.fakeNetFD.SetWriteDeadline(t)"},
	} {
		text := " if macemcInNode() { fd = macemcInherited(fd) }; if fd.fakeNetFD != nil { return " + c.call + " }; "
		if strings.HasPrefix(c.method, "write") {
			to := "sa"
			if strings.Contains(c.method, "Inet") {
				to = "macemcCopy(sa)"
			}
			text += "if macemcCallerOutside() { macemcReached(fd.sotype, fd.addrFunc()(" + to + ")) }; "
		}
		list = append(list, change{"net/fd_posix.go", atStart{"netFD." + c.method}, text, whyNet})
	}
	for _, c := range []struct{ file, option, value string }{
		{"sockopt_posix.go", "ReadBuffer", "bytes"}, {"sockopt_posix.go", "WriteBuffer", "bytes"}, {"sockopt_posix.go", "Linger", "sec"},
		{"sockopt_posix.go", "KeepAlive", "boolint(keepalive)"}, {"tcpsockopt_unix.go", "KeepAliveIdle", "d"},
		{"tcpsockopt_unix.go", "KeepAliveInterval", "d"}, {"tcpsockopt_unix.go", "KeepAliveCount", "n"},
		{"tcpsockopt_posix.go", "NoDelay", "boolint(noDelay)"},
	} {
		list = append(list, change{"net/" + c.file, atStart{"set" + c.option},
			" if fd.fakeNetFD != nil { return fd.macemcSet(macemc" + c.option + ", int64(" + c.value + ")) }; ", whyNet})
	}
	for method, call := range map[string]string{"Control": "macemcControl(c.fd, f)", "Read": "macemcRaw(c.fd, f, false)",
		"Write": "macemcRaw(c.fd, f, true)"} {
		list = append(list, change{"net/rawconn.go", atStart{"rawConn." + method},
			" if c.ok() && c.fd.fakeNetFD != nil { return " + call + " }; ", whyNet})
	}
	const call = " if macemcIsSocket(trap, a1, a2, a3) { return macemcCallSocket(trap, macemcHold(a1, a2, a3, "
	list = append(list, change{"net/sock_cloexec.go", atStart{"sysSocket"}, " macemcOpens(1); defer macemcOpens(-1); ", whyNet})
	return append(list, change{"syscall/syscall_linux.go", atStart{"Syscall"}, call + "0, 0, 0)) }; ", whyNet},
		change{"syscall/syscall_linux.go", atStart{"Syscall6"}, call + "a4, a5, a6)) }; ", whyNet},
		change{"syscall/syscall_linux.go", atStart{"RawSyscall"}, call + "0, 0, 0)) }; ", whyNet},
		change{"syscall/syscall_linux.go", atStart{"RawSyscall6"}, " if trap == SYS_EPOLL_CTL && macemcIsSocket(trap, a1, a2, a3) " +
			"{ return macemcCallSocket(trap, macemcHold(a1, a2, a3, a4, a5, a6)) }; ", whyNet})
}()

// fakeSockets renames functions that other systems have, too. It makes sockets notice that either end has stopped to read or write. A Read of
// a stream returns all data that fits, and each Write is received as a whole.
var fakeSockets = replace(
	"\nfunc socket(", "\nfunc macemcFakeSocket(",
	"\nfunc sysSocket(", "\nfunc macemcSysSocket(",
	"get() packetQueueState {\n", "get() packetQueueState { macemcUsesQueue(1); defer macemcUsesQueue(-1);\n",
	"put(q packetQueueState) {\n", "put(q packetQueueState) { macemcUsesQueue(1); defer macemcUsesQueue(-1);\n",
	"\tvar full chan packetQueueState\n", "\tvar full chan packetQueueState; macemcUsesQueue(1); "+
		"defer func() { pq.macemcUsed(macemcOpSend, 0, err); macemcUsesQueue(-1) }()\n",
	"\tvar empty chan packetQueueState\n", "\tvar empty chan packetQueueState; macemcUsesQueue(1); due := dt.macemcDue(); "+
		"defer func() { pq.macemcUsed(macemcOpReceive, due, err); macemcUsesQueue(-1) }()\n",
	"\tif deadline.Equal(noDeadline) {\n", "\tif deadline.Equal(noDeadline) { dt.macemcArm(-1)\n",
	"\td := time.Until(deadline)\n", "\td := time.Until(deadline); dt.macemcArm(max(d, 0))\n",
	"closeErr := ffd.queue.closeRead();", "closeErr := ffd.macemcCloseRead();",
	"closeErr := ffd.peer.queue.closeWrite();", "closeErr := ffd.macemcCloseWrite();",
	"\t\t\t\tc.Close()\n", "\t\t\t\tc.setLinger(0); c.Close()\n",
	"\treturn ffd.queue.closeRead()\n", "\treturn ffd.queue.macemcShutRead()\n",
	"\tq.writeClosed = true\n", "\tq.writeClosed, q.noLinger = true, false\n",
	"\tcase q.head == nil:\n", "\tcase q.head == nil && !q.readShut && !q.refused:\n",
	"\treturn peer.queue.write(ffd.writeDeadline.Load(), p, ffd.fd.laddr.(sockaddr))\n",
	"\treturn ffd.macemcWrite(peer.queue, p)\n",
	"\tn, _, err = ffd.queue.recvfrom(ffd.readDeadline.Load(), p, false, nil)\n",
	"\tdt, err := ffd.reads.lock(&ffd.readDeadline); if err != nil { return 0, err }; "+
		"n, _, err = ffd.queue.recvfrom(dt, p, ffd.fd.sotype != syscall.SOCK_STREAM, nil); ffd.reads.unlock()\n",
	"\t\tp.bufOffset += n\n\t}\n", "\t\tp.bufOffset += n\n\t}; if !wholePacket { n += q.macemcMore(b[n:]) }\n",
	"\tif sec < 0 || ffd.peer == nil {\n", "\tif ffd.peer == nil {\n",
	"ffd.peer.queue.setLinger(sec > 0)", "ffd.peer.queue.setLinger(sec != 0)",
	"\t\treturn 0, ErrClosed\n\t} else if q.readClosed && q.nBytes >= q.readBufferBytes {\n"+
		"\t\treturn 0, os.NewSyscallError(\"send\", syscall.ECONNRESET)\n",
	"\t\treturn 0, os.NewSyscallError(\"write\", syscall.EPIPE)\n\t} else if done, err := q.macemcDiscard(b, from); err != nil {\n"+
		"\t\treturn 0, err } else if done { return len(b), nil\n",
	"\t\t\tif q.noLinger {\n\t\t\t\treturn 0, nil, os.NewSyscallError(\"recvfrom\",",
	"\t\t\tif q.noLinger { q.noLinger = false\n\t\t\t\treturn 0, nil, os.NewSyscallError(\"read\",",
	"\t\tcase len(b) == 0:\n", "\t\tcase q.readShut: return 0, nil, io.EOF; case len(b) == 0:\n",
	"\tif p == nil {\n", "\tif p == nil { select { case <-dt.expired: return 0, nil, os.ErrDeadlineExceeded; default: }\n")

// fakeNetwork adds package net's in-memory network for js/wasm to other systems.
func fakeNetwork(text string, added map[string]string) (string, error) {
	fake := regexp.MustCompile(`(?m)^//go:build .*$`).ReplaceAllString(text, "//go:build unix")
	fake, err := fakeSockets(fake, nil)
	if err != nil {
		return "", err
	}
	changed, err := apply(fakeFile, []byte(fake), socketChanges)
	if err != nil {
		return "", err
	}
	added[fakeFile] = string(changed)
	return text, nil
}
