// A node as a process of a machine of its own: its output, signals and end.

package os

func macemcInNode() bool

// macemcNode is the node of the calling goroutine. Package bubble provides it.
var macemcNode macemcMachine

type macemcMachine = interface {
	Exit(code int)                      // returns if the node is not a process
	Print(error bool, text []byte) bool // reports whether the node is a process
	Hostname() string
	Pid() int
	Notify(c chan<- Signal, signals []Signal)
	Stop(c chan<- Signal)
	Reset(signals []Signal, ignore bool)
	Ignored(sig Signal) bool
	Signal(pid int, sig Signal) error
	Open(name string, flag int) (f macemcFile, own bool, err error)
	Change(op, name, to string, size int64) (own bool, err error)
	Stat(name string) (info FileInfo, own bool, err error)
	HasFiles() bool
	Executable() string
	Refuse(what string) // does not return: the system cannot be checked
}

func macemc_operate(n macemcMachine) { macemcNode = n }

func macemcNotify(c chan<- Signal, signals []Signal) { macemcNode.Notify(c, signals) }

func macemcStop(c chan<- Signal) { macemcNode.Stop(c) }

func macemcReset(signals []Signal, ignore bool) { macemcNode.Reset(signals, ignore) }

func macemcIgnored(sig Signal) bool { return macemcNode.Ignored(sig) }

// macemcPrinted passes output of a process of a checked system to its node. It reports whether the node took the output.
func (f *File) macemcPrinted(b []byte) bool {
	return (f == Stdout || f == Stderr) && macemcNode.Print(f == Stderr, b)
}
