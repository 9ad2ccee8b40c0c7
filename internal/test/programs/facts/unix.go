package facts

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// early is a socket that this package opens when it is initialized, as loggers do.
var early = must(net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram"}))

// socketFolders are the folders that socketFile has made.
var socketFolders []string

// socketFile returns the path of a file in an empty folder.
func socketFile() string {
	dir := must(os.MkdirTemp("", ""))
	socketFolders = append(socketFolders, dir)
	return filepath.Join(dir, "s")
}

// gram opens a socket for datagrams.
func gram(name string) *net.UnixConn {
	return must(net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"}))
}

// sendTo returns what sending a datagram to a name returns.
func sendTo(c *net.UnixConn, name string) any {
	n, oobn, err := c.WriteMsgUnix([]byte("text"), nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	e, _ := errors.AsType[*os.SyscallError](err)
	return []any{n, oobn, e}
}

// dialError returns the error of the system.
func dialError(network, name string) any {
	_, err := net.Dial(network, name)
	e, _ := errors.AsType[*os.SyscallError](err)
	return e
}

var ofUnix = map[string]fact{
	"unix: early socket, no file": func() any { return sendTo(early, "/run/none/socket") },
	"unix: early socket, no name": func() any { return sendTo(early, "@none") },
	"unix: early socket, no peer": func() any { _, err := early.Write([]byte("text")); return errors.Is(err, syscall.ENOTCONN) },
	"unix: early socket, deadline": func() any {
		early.SetReadDeadline(time.Now().Add(time.Millisecond))
		defer early.SetReadDeadline(time.Time{})
		_, err := early.Read(make([]byte, 1))
		return errors.Is(err, os.ErrDeadlineExceeded)
	},
	"unix: dial no file":         func() any { return dialError("unix", "/run/none/socket") },
	"unix: dial no name":         func() any { return dialError("unix", "@none") },
	"unix: dial no file, packet": func() any { return dialError("unixgram", "/run/none/socket") },
	"unix: dial another file": func() any {
		name := socketFile()
		must(0, os.WriteFile(name, nil, 0o644))
		return []any{dialError("unix", name), dialError("unixgram", name)}
	},
	"unix: packets": func() any {
		name := socketFile()
		at, from := gram(name), gram("@facts")
		defer closeBoth(at, from)
		sent := sendTo(from, name)
		buf := make([]byte, 9)
		n, sender, err := at.ReadFromUnix(buf)
		return []any{sent, string(buf[:n]), sender, err, dialError("unix", name)}
	},
	"unix: packets without a name": func() any {
		name := socketFile()
		at := gram(name)
		defer at.Close()
		c := must(net.Dial("unixgram", name))
		defer c.Close()
		must(c.Write([]byte("text")))
		buf := make([]byte, 9)
		n, sender, err := at.ReadFrom(buf)
		return []any{string(buf[:n]), sender, err}
	},
	"unix: closed receiver": func() any {
		name := socketFile()
		at, from := gram(name), gram("")
		defer from.Close()
		at.Close()
		info := must(os.Lstat(name))
		refused := sendTo(from, name)
		must(0, os.Remove(name))
		return []any{info.Mode().Type(), refused, sendTo(from, name)}
	},
	"unix: in use": func() any {
		name := socketFile()
		at := gram(name)
		defer at.Close()
		_, err := net.Listen("unix", name)
		must(0, os.Remove(name))
		again := gram(name)
		_, opened := os.Open(name)
		return []any{errors.Is(err, syscall.EADDRINUSE), again.Close(), errors.Is(opened, syscall.ENXIO)}
	},
	"unix: stream": func() any {
		name := socketFile()
		client, server := pair("unix", name)
		must(client.Write([]byte("text")))
		client.Close()
		text, err := io.ReadAll(server)
		_, write := server.Write([]byte("x"))
		_, stat := os.Stat(name)
		return []any{string(text), err, errors.Is(write, syscall.EPIPE), errors.Is(stat, fs.ErrNotExist), server.Close()}
	},
	"unix: abstract stream": func() any {
		client, server := pair("unix", "@stream")
		defer closeBoth(client, server)
		must(server.Write(bytes.Repeat([]byte("x"), 1000)))
		return []any{must(io.ReadFull(client, make([]byte, 1000))), client.RemoteAddr(), server.LocalAddr()}
	},
	"unix: pair of descriptors": func() any {
		s := must(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_DGRAM, 0))
		defer syscall.Close(s[0])
		defer syscall.Close(s[1])
		sent := syscall.Sendmsg(s[0], []byte("text"), nil, nil, 0)
		buf := make([]byte, 9)
		n, _, _, _, err := syscall.Recvmsg(s[1], buf, nil, 0)
		return []any{sent, string(buf[:n]), err}
	},
	"unix: descriptor, nobody": func() any {
		s := must(syscall.Socket(syscall.AF_UNIX, syscall.SOCK_DGRAM, 0))
		defer syscall.Close(s)
		return []any{syscall.Sendto(s, []byte("x"), 0, &syscall.SockaddrUnix{Name: "/run/none/socket"}),
			syscall.Connect(s, &syscall.SockaddrUnix{Name: "@none"})}
	},
}
