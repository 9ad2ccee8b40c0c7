package overlay

import (
	"fmt"
	"regexp"
	"strings"
)

// fakeFile is the file of the in-memory network in package net.
const fakeFile = "net/zz_macemc_fake.go"

const isClosed = " if atomic.LoadUint32(&ffd.closed) != 0 "

// socketChanges make operations on a closed socket fail at once.
var socketChanges = func() []change {
	list := []change{
		{fakeFile, lastField{"fakeNetFD"}, " closed uint32; unread bool; reads, writes macemcLock; ", whyNet},
		{fakeFile, lastField{"packetQueueState"}, " readShut, reset bool; ", whyNet},
		{fakeFile, atStart{"fakeNetFD.Close"},
			" if atomic.SwapUint32(&ffd.closed, 1) != 0 { return ErrClosed }; ffd.reads.close(); ffd.writes.close(); ", whyNet},
		{fakeFile, atStart{"fakeNetFD.Read"}, isClosed + "{ return 0, ErrClosed }; if len(p) == 0 { return 0, nil }; ", whyNet},
	}
	for _, c := range []struct{ results, methods string }{
		{"ErrClosed", "closeRead closeWrite SetReadDeadline SetWriteDeadline setReadBuffer setLinger"},
		{"nil, ErrClosed", "accept"},
		{"0, ErrClosed", "Write readFromInet4 readFromInet6 writeTo"},
		{"0, nil, ErrClosed", "readFrom"},
	} {
		for m := range strings.FieldsSeq(c.methods) {
			list = append(list, change{fakeFile, atStart{"fakeNetFD." + m}, isClosed + "{ return " + c.results + " }; ", whyNet})
		}
	}
	return list
}()

// closedSockets makes sockets notice that either end has stopped to read or write. A Read of a stream returns all data that fits, and each
// Write is received as a whole.
var closedSockets = replace(
	"closeErr := ffd.queue.closeRead();", "closeErr := ffd.macemcCloseRead();",
	"closeErr := ffd.peer.queue.closeWrite();", "closeErr := ffd.macemcCloseWrite();",
	"\t\t\t\tc.Close()\n", "\t\t\t\tc.setLinger(0); c.Close()\n",
	"\treturn ffd.queue.closeRead()\n", "\treturn ffd.queue.macemcShutRead()\n",
	"\tq.writeClosed = true\n", "\tq.writeClosed, q.noLinger = true, false\n",
	"\tcase q.head == nil:\n", "\tcase q.head == nil && !q.readShut:\n",
	"\treturn peer.queue.write(ffd.writeDeadline.Load(), p, ffd.fd.laddr.(sockaddr))\n",
	"\treturn ffd.macemcWrite(peer.queue, p)\n",
	"\tn, _, err = ffd.queue.recvfrom(ffd.readDeadline.Load(), p, false, nil)\n",
	"\tdt, err := ffd.reads.lock(&ffd.readDeadline); if err != nil { return 0, err }; "+
		"n, _, err = ffd.queue.recvfrom(dt, p, ffd.fd.sotype != syscall.SOCK_STREAM, nil); ffd.reads.unlock()\n",
	"\t\tp.bufOffset += n\n\t}\n", "\t\tp.bufOffset += n\n\t}; if !wholePacket { n += q.macemcMore(b[n:]) }\n",
	"\t\traddr:       fd.laddr,\n", "\t\traddr:       macemcNamed(fd),\n",
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
	for from, to := range map[string]string{"\nfunc socket(": "\nfunc macemcFakeSocket(", "\nfunc sysSocket(": "\nfunc macemcSysSocket("} {
		if strings.Count(fake, from) != 1 {
			return "", fmt.Errorf("%q is not there once", from)
		}
		fake = strings.Replace(fake, from, to, 1)
	}
	const named = `if sa.Name != "" {`
	if n := strings.Count(fake, named); n != 1 {
		return "", fmt.Errorf("%q is there %d times, not once", named, n)
	}
	fake = strings.Replace(fake, named, "if macemcInFolder(sa.Name) {", 1)
	const wrapped = "if errors.Is(err, syscall.EADDRINUSE) {"
	if n := strings.Count(fake, wrapped); n != 2 {
		return "", fmt.Errorf("%q is there %d times, not 2", wrapped, n)
	}
	fake = strings.ReplaceAll(fake, wrapped, "if _, ok := err.(*os.SyscallError); ok {")
	for _, to := range []string{"ffd.fd.raddr.(sockaddr)", "raddr.(sockaddr)"} {
		const absent = "if peeri == nil {"
		before, after, ok := strings.Cut(fake, "sockets.Load(fakeAddr("+to+"))\n")
		if !ok || !strings.HasPrefix(strings.TrimSpace(after), absent) {
			return "", fmt.Errorf("the receiver of a datagram is not looked up by %s", to)
		}
		fake = before + "sockets.Load(fakeAddr(" + to + "))\n" + strings.Replace(after, absent, absent+" macemcUndelivered(ffd.fd, "+to+");", 1)
	}
	if !strings.Contains(fake, "errors.") {
		fake = strings.Replace(fake, "\t\"errors\"\n", "", 1)
	}
	fake, err := closedSockets(fake, nil)
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
