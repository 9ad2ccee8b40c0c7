package overlay

const (
	whySignals = "signals that a test sends to its own process are events of a run"
	whyCalls   = "what a run does to its process outside the heap is simulated or undone"
)

// processChanges make the end of the process the end of a run. A run does not change how the process handles signals.
var processChanges = []change{
	{"runtime/panic.go", atStart{"fatalpanic"}, " macemcPanicked(msgs); ", whyEnd},
	{"runtime/panic.go", atStart{"preprintpanics"}, " macemcPrinting(p); ", whyEnd},
	{"runtime/panic.go", atStart{"fatal"}, " macemcDied(nil, s); ", whyEnd},
	{"runtime/panic.go", atStart{"throw"}, " macemcThrown(s); ", whyEnd},
	{"runtime/runtime.go", atStart{"syscall_Exit"}, " macemcExit(code); ", whyEnd},
	{"os/proc.go", atStart{"Exit"}, " if f := macemcOnExit; f != nil { code = f(code) }; macemcExit(code); ", whyEnd},
	{"testing/testing.go", atStart{"M.before"}, " defer macemcUnaffected(macemcAffected()); ", whyCalls},
	{"os/exec.go", atStart{"StartProcess"}, ` macemcRefuse("it starts a process"); `, whyRefused},
	{"syscall/exec_unix.go", atStart{"forkExec"}, ` macemcRefuse("it starts a process"); `, whyRefused},
	{"os/file_unix.go", atStart{"openFileNolog"}, " macemcOpensProc(name); ", whyRefused},
	{"os/file_unix.go", atStart{"openDirNolog"}, " macemcOpensProc(name); ", whyRefused},
	{"syscall/syscall_linux.go", atStart{"RawSyscall"},
		" if macemcIntercepts(trap) { return macemcIntercept(trap, a1, a2, a3, 0, 0, 0) }; ", whyCalls},
	{"syscall/syscall_linux.go", atStart{"Syscall"},
		" macemcAffects(trap, a1, a2, a3, 0); if macemcIntercepts(trap) { return macemcIntercept(trap, a1, a2, a3, 0, 0, 0) }; ", whyCalls},
	{"syscall/syscall_linux.go", atStart{"Syscall6"},
		" macemcAffects(trap, a1, a2, a3, a4); if macemcIntercepts(trap) { return macemcIntercept(trap, a1, a2, a3, a4, a5, a6) }; ", whyCalls},
	{"syscall/syscall_linux.go", atStart{"RawSyscall6"},
		" if macemcIntercepts(trap) { return macemcIntercept(trap, a1, a2, a3, a4, a5, a6) }; ", whyCalls},
	{"os/dir_unix.go", callee{"File.readdir", "direntNamlen"}, "f.macemcNamlen", "tests do not see files of macemc"},
	{"os/exec_unix.go", atStart{"Process.signal"},
		" if s, ok := sig.(syscall.Signal); ok && s > 0 && p.Pid == Getpid() && macemcRaise(uint32(s)) { return nil }; ", whySignals},
	{"os/signal/signal.go", callee{"Stop", "signalWaitUntilIdle"}, "macemcWaitUntilIdle", whySignals},
	{"os/signal/signal_unix.go", atStart{"loop"}, " if macemcTested() { macemcDeliver(); return }; ", whySignals},
	{"os/signal/signal_unix.go", atStart{"enableSignal"}, " if macemcTested() { macemcIgnore(uint32(sig), false); return }; ", whySignals},
	{"os/signal/signal_unix.go", atStart{"disableSignal"}, " if macemcTested() { return }; ", whySignals},
	{"os/signal/signal_unix.go", atStart{"ignoreSignal"}, " if macemcTested() { macemcIgnore(uint32(sig), true); return }; ", whySignals},
	{"os/signal/signal_unix.go", atStart{"signalIgnored"}, " if macemcTested() { return macemcIgnores(uint32(sig)) }; ", whySignals},
}

// watchSignals leaves the loop that delivers the system's signals to goroutines outside runs.
var watchSignals = replace("watchSignalLoopOnce.Do(func() {", "macemcWatch(&watchSignalLoopOnce, func() {")
