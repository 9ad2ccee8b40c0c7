package overlay

import "fmt"

const (
	whyNode    = "the network of a node is the simulated one"
	whyHTTP    = "nodes have default clients and servers of their own"
	whyActs    = "traces show where a handler answers"
	whyOS      = "a node is a process of a machine of its own"
	whyWall    = "the wall clock of a node may jump"
	whyInitial = "processes whose environment packages have read initialize packages again"
	whyDead    = "the collector does not change what a node does"
)

// inNode makes a function begin with a statement that goroutines of nodes execute.
func inNode(file, fn, statement, why string) change {
	return change{file, atStart{fn}, " if macemcInNode() { " + statement + " }; ", why}
}

// nodeChanges adapt the standard library to nodes of package bubble.
var nodeChanges = func() []change {
	list := []change{
		inNode("net/sock_posix.go", "socket", "return macemcNodeSocket(ctx, net, sotype, laddr, raddr, ctrlCtxFn)", whyNode),
		inNode("net/conf.go", "conf.mustUseGoResolver", "return true", whyNode),
		inNode("net/lookup.go", "Resolver.lookupIPAddr", "return macemcLookupIP(network, host)", whyNode),
		inNode("net/lookup_unix.go", "Resolver.lookupHost", "return macemcLookupHost(host)", whyNode),
		inNode("net/lookup_unix.go", "Resolver.lookupIP", "return macemcLookupIP(network, host)", whyNode),
		inNode("net/lookup_unix.go", "Resolver.lookupCNAME", "return macemcLookupCNAME(name)", whyNode),
		inNode("net/lookup_unix.go", "Resolver.lookupAddr", "return macemcLookupAddr(addr)", whyNode),
		inNode("net/file_unix.go", "dupFileSocket", `macemcNetwork.Refuse("it makes a connection of a file")`, whyNode),
		inNode("net/interface.go", "Interfaces", "return macemcInterfaces(), nil", whyNode),
		inNode("net/interface.go", "InterfaceAddrs", "return macemcInterfaceAddrs(0), nil", whyNode),
		{"net/interface.go", atStart{"Interface.Addrs"},
			" if ifi != nil && macemcInNode() { return macemcInterfaceAddrs(ifi.Index), nil }; ", whyNode},
		{"net/interface.go", atStart{"Interface.MulticastAddrs"}, " if ifi != nil && macemcInNode() { return nil, nil }; ", whyNode},
		inNode("net/interface.go", "InterfaceByIndex", `return macemcInterface(index, "")`, whyNode),
		inNode("net/interface.go", "InterfaceByName", "return macemcInterface(0, name)", whyNode),
		inNode("net/http/transport.go", "ProxyFromEnvironment", "return nil, nil", whyNode),
		inNode("net/http/transport.go", "Transport.roundTrip", "t = macemcTransport(t)", whyHTTP),
		inNode("net/http/transport.go", "Transport.CloseIdleConnections", "t = macemcTransport(t)", whyHTTP),
		{"net/http/server.go", atStart{"ServeMux.registerErr"}, " if mux == &defaultServeMux && macemcInNode() { mux = macemcMux() }; ", whyHTTP},
		{"net/http/server.go", atStart{"ServeMux.findHandler"},
			" if mux == &defaultServeMux && macemcInNode() { " +
				"if h, s, p, m := macemcMux().findHandler(r); p != nil { return h, s, p, m } }; ", whyHTTP},
		{"net/http/server.go", atStart{"response.write"}, " macemcTracePlace(); ", whyActs},
		{"net/http/server.go", atStart{"response.WriteHeader"}, " macemcTracePlace(); ", whyActs},
		{"net/http/server.go", atStart{"response.Header"}, " macemcTracePlace(); ", whyActs},
		inNode("os/proc.go", "Exit", "macemcNode.Exit(code)", whyOS),
		{"os/file.go", atStart{"File.Write"}, " if f != nil && macemcInNode() && f.macemcPrinted(b) { return len(b), nil }; ", whyOS},
		inNode("os/sys.go", "Hostname", "return macemcNode.Hostname(), nil", whyOS),
		inNode("os/executable.go", "Executable", `if name := macemcNode.Executable(); name != "" { return name, nil }`, whyOS),
		{"os/file.go", atStart{"File.Read"}, " if f == Stdin && macemcInNode() { return 0, io.EOF }; ", whyOS},
		{"os/file.go", atStart{"File.WriteTo"}, " if f == Stdin && macemcInNode() { return 0, nil }; ", whyOS},
		inNode("os/exec.go", "Getpid", "return macemcNode.Pid()", whyOS),
		inNode("os/exec.go", "Getppid", "return 1", whyOS),
		inNode("os/exec.go", "StartProcess", `macemcNode.Refuse("it starts the process " + name)`, whyOS),
		inNode("syscall/exec_unix.go", "forkExec", `macemcProcess.Refuse("it starts the process " + argv0)`, whyOS),
		inNode("syscall/exec_unix.go", "Exec", `macemcProcess.Refuse("it becomes the process " + argv0)`, whyOS),
		inNode("syscall/zsyscall_linux_amd64.go", "Getpid", "return macemcProcess.Pid()", whyOS),
		inNode("syscall/zsyscall_linux_arm64.go", "Getpid", "return macemcProcess.Pid()", whyOS),
		{"syscall/syscall_linux.go", atStart{"RawSyscall"}, " if trap == SYS_KILL && macemcInNode() { return macemcKill(a1, a2) }; ", whyOS},
		inNode("os/pipe2_unix.go os/pipe_unix.go", "Pipe", `macemcNode.Refuse("it makes a pipe")`, whyOS),
		inNode("os/signal/signal.go", "Notify", "macemcNotify(c, sig); return", whyOS),
		inNode("os/signal/signal.go", "Stop", "macemcStop(c); return", whyOS),
		inNode("os/signal/signal.go", "Reset", "macemcReset(sig, false); return", whyOS),
		inNode("os/signal/signal.go", "Ignore", "macemcReset(sig, true); return", whyOS),
		inNode("os/signal/signal.go", "Ignored", "return macemcIgnored(sig)", whyOS),
		inNode("os/exec.go", "FindProcess", "return newPIDProcess(pid), nil", whyOS),
		{"os/exec.go", atStart{"Process.Signal"}, " if p != nil && macemcInNode() { return macemcNode.Signal(p.Pid, sig) }; ", whyOS},
		{"time/time.go", callee{"Now", "runtimeNow"}, "macemcNow", whyWall},
		inNode("runtime/debug.go", "NumCPU", "return 1", "runs do not depend on the machine"),
		inNode("runtime/debug.go", "GOMAXPROCS", "return macemcSetNodeProcs(n)", "one goroutine runs at a time"),
		inNode("runtime/debug.go", "NumGoroutine", "return getg().bubble.total - macemcMain", whyOS),
		{"runtime/mheap.go", atStart{"internal_weak_runtime_registerWeakPointer"}, " macemcRetain(p); ", whyDead},
		{"runtime/synctest.go", lastField{"synctestBubble"}, " macemcRetained []unsafe.Pointer; macemcProcs int; ", whyDead},
		inNode("runtime/mprof.go", "Stack", "macemcNodeStack = true; defer func() { macemcNodeStack = false }()", whyOS),
		{"runtime/synctest.go", atStart{"synctest_associate"},
			" if macemcInNode() && macemcUsedOutside(p) { return bubbleAssocUnbubbled }; ", "nodes share wait groups of package variables"},
		{"syscall/env_unix.go", atStart{"Getenv"}, " macemcReadsEnv(key); ", whyInitial},
		{"runtime/proc.go", atStart{"newproc"}, ` if macemcInitially() && !macemcOfRuntime(fn) { macemcNoteInit("*") }; `, whyInitial},
		{"runtime/time.go", atStart{"newTimer"}, ` if macemcInitially() { macemcNoteInit("*") }; `, whyInitial},
		{"syscall/env_unix.go", atStart{"Environ"}, ` macemcReadsEnv("*"); `, whyInitial},
		{"runtime/mcleanup.go", atStart{"AddCleanup"}, " if macemcUndying(sys.GetCallerPC()) { return Cleanup{} }; ", whyDead},
		{"runtime/mfinal.go", atStart{"SetFinalizer"}, " if macemcUndying(sys.GetCallerPC()) { return }; ", whyDead},
	}
	list = append(list, nodeFiles...)
	for _, record := range [][2]string{{"SRV", `"", nil`}, {"MX", "nil"}, {"NS", "nil"}, {"TXT", "nil"}} { // nodes have addresses only
		list = append(list, inNode("net/lookup_unix.go", "Resolver.lookup"+record[0],
			"return "+record[1]+`, newDNSError(errNoSuchHost, name, "")`, whyNode))
	}
	return list
}()

// nodeFiles redirect files of a node's data directory to its simulated disk.
var nodeFiles = func() []change {
	const whyFile = "the disk of a node is the simulated one"
	list := []change{
		{"os/file_unix.go", lastField{"file"}, " node macemcFile ", whyFile},
		{"os/file_windows.go", lastField{"file"}, " node macemcFile ", whyFile},
		inNode("os/file.go", "OpenFile", "if f, own, err := macemcOpen(name, flag, false); own { return f, err }", whyFile),
		inNode("os/file.go", "openDir", "if f, own, err := macemcOpen(name, O_RDONLY, true); own { return f, err }", whyFile),
		inNode("os/root.go", "OpenRoot", `if own, err := macemcChange("openroot", name, 0); own { return nil, err }`, whyFile),
		inNode("os/file.go", "Readlink", `if own, err := macemcReadlink(name); own { return "", err }`, whyFile),
		inNode("os/file.go", "Chdir", `macemcNode.Refuse("it changes its working directory to " + dir)`, whyFile),
		inNode("os/file_posix.go", "File.Chdir", `macemcNode.Refuse("it changes its working directory")`, whyFile),
		inNode("os/stat.go", "Stat", `if info, own, err := macemcStat("stat", name); own { return info, err }`, whyFile),
		inNode("os/stat.go", "Lstat", `if info, own, err := macemcStat("lstat", name); own { return info, err }`, whyFile),
		inNode("os/path.go", "RemoveAll", `if own, err := macemcChange("RemoveAll", path, 0); own { return err }`, whyFile),
		{"os/getwd.go", atStart{"Getwd"}, ` if macemcInNode() && macemcNode.HasFiles() { return "/", nil }; `, whyFile},
		{"os/file.go", atStart{"File.ReadFrom"}, " if f != nil && f.node != nil { return genericReadFrom(f, r) }; ", whyFile},
		{"os/file.go", atStart{"File.WriteTo"}, " if f != nil && f.node != nil { return genericWriteTo(f, w) }; ", whyFile},
		{"os/file.go", atStart{"File.SyscallConn"},
			` if f != nil && f.node != nil { macemcNode.Refuse("it takes the raw connection of a file") }; `, whyFile},
		{"os/file.go", atStart{"File.Fd"}, " if f != nil && f.node != nil { return f.node.Fd() }; ", whyFile},
		{"syscall/syscall_linux.go", atStart{"RawSyscall"},
			" if macemcOwns(trap, a1) { return macemcCall(trap, a1, a2, a3, 0, 0, 0) }; ", whyFile},
		{"syscall/syscall_linux.go", atStart{"RawSyscall6"},
			" if macemcOwns(trap, a1) { return macemcCall(trap, a1, a2, a3, a4, a5, a6) }; ", whyFile},
		{"syscall/syscall_linux.go", atStart{"Syscall"},
			" if macemcOwns(trap, a1) { return macemcCall(trap, a1, a2, a3, 0, 0, 0) }; ", whyFile},
		{"syscall/syscall_linux.go", atStart{"Syscall6"},
			" if macemcOwns(trap, a1) { return macemcCall(trap, a1, a2, a3, a4, a5, a6) }; ", whyFile},
		{"os/dir_unix.go", atStart{"File.readdir"}, " if f.node != nil { return f.macemcReaddir(n, mode) }; ", whyFile},
		inNode("os/file.go", "Rename", `if own, err := macemcLink("rename", oldpath, newpath); own { return err }`, whyFile),
		inNode("os/file_unix.go", "Link", `if own, err := macemcLink("link", oldname, newname); own { return err }`, whyFile),
		inNode("os/file_unix.go", "Symlink", `if own, err := macemcLink("symlink", oldname, newname); own { return err }`, whyFile),
		{"os/file_posix.go", atStart{"File.read"}, " if f.node != nil { return f.node.Read(b) }; ", whyFile},
		{"os/file_posix.go", atStart{"File.pread"}, " if f.node != nil { return f.node.ReadAt(b, off) }; ", whyFile},
		{"os/file_posix.go", atStart{"File.write"}, " if f.node != nil { return f.node.Write(b) }; ", whyFile},
		{"os/file_posix.go", atStart{"File.pwrite"}, " if f.node != nil { return f.node.WriteAt(b, off) }; ", whyFile},
		{"os/file_posix.go", atStart{"File.Close"}, ` if f != nil && f.node != nil { return f.wrapErr("close", f.node.Close()) }; `, whyFile},
		{"os/file_posix.go", atStart{"File.Truncate"},
			` if f != nil && f.node != nil { return f.wrapErr("truncate", f.node.Truncate(size)) }; `, whyFile},
		{"os/file_posix.go", atStart{"File.Sync"}, ` if f != nil && f.node != nil { return f.wrapErr("sync", f.node.Sync()) }; `, whyFile},
		{"os/file.go", atStart{"File.Chmod"}, " if f != nil && f.node != nil { return nil }; ", whyFile},
		{"os/file_posix.go", atStart{"File.Chown"}, " if f != nil && f.node != nil { return nil }; ", whyFile},
		{"os/file_unix.go", atStart{"File.seek"}, " if f.node != nil { return f.node.Seek(offset, whence) }; ", whyFile},
		{"os/stat_unix.go", atStart{"File.Stat"},
			` if f != nil && f.node != nil { info, err := f.node.Stat(); return info, f.wrapErr("stat", err) }; `, whyFile},
	}
	for _, c := range []struct{ file, function, op, size string }{
		{"file.go", "Mkdir", "mkdir", "0"}, {"file.go", "Chmod", "chmod", "0"}, {"file_posix.go", "Chown", "chown", "0"},
		{"file_posix.go", "Lchown", "lchown", "0"}, {"file_posix.go", "Chtimes", "chtimes", "0"},
		{"file_unix.go", "Truncate", "truncate", "size"},
		{"file_unix.go", "Remove", "remove", "0"},
	} {
		list = append(list, inNode("os/"+c.file, c.function,
			fmt.Sprintf("if own, err := macemcChange(%q, name, %s); own { return err }", c.op, c.size), whyFile))
	}
	return list
}()

// nodeSockets make the sockets of the tests' in-memory network usable as sockets of a node.
var nodeSockets = func() []change {
	const file = "net/net_fake.go"
	list := []change{{file, lastField{"fakeNetFD"}, " node *macemcEnd; ", whyNode}}
	for _, c := range []struct{ method, result string }{
		{"Read", "ffd.node.read(p)"}, {"Write", "ffd.node.send(p, ffd.fd.raddr, 0)"}, {"Close", "ffd.node.close(ffd)"},
		{"closeRead", "ffd.node.closeRead()"}, {"closeWrite", "ffd.node.closeWrite()"}, {"accept", "ffd.node.accept(ffd.fd)"},
		{"SetDeadline", "ffd.node.any().SetDeadline(t)"}, {"SetReadDeadline", "ffd.node.any().SetReadDeadline(t)"},
		{"SetWriteDeadline", "ffd.node.any().SetWriteDeadline(t)"},
	} {
		list = append(list, change{file, atStart{"fakeNetFD." + c.method}, " if ffd.node != nil { return " + c.result + " }; ", whyNode})
	}
	return list
}()

// socketsOfNodes changes the in-memory network that fakeNetwork added.
func socketsOfNodes(text string, added map[string]string) (string, error) {
	fake, err := apply(fakeFile, []byte(added[fakeFile]), nodeSockets)
	if err != nil {
		return "", fmt.Errorf("net/net_fake.go: %w", err)
	}
	added[fakeFile] = string(fake)
	return text, nil
}
