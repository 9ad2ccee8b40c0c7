package vet

import (
	"go/types"
	"slices"
	"strings"
)

// entry classifies names of a package of the standard library.
type entry struct {
	pkg  string
	kind Kind
	// names are functions, variables, and methods as "Type.Method" or "Type.*"; "*" stands for all functions and
	// methods.
	names  []string
	except []string // exceptions of "*"
}

// words returns the words of a text.
func words(text string) []string { return strings.Fields(text) }

// library lists the hazards of the standard library.
var library = []entry{
	{"time", Clock, words("Now Since Until Sleep After AfterFunc Tick NewTimer NewTicker"), nil},
	{"context", Clock, words("WithTimeout WithTimeoutCause WithDeadline WithDeadlineCause"), nil},
	{"math/rand", Random, words("*"), words("New NewSource NewZipf Rand.* Zipf.* Source.* Source64.*")},
	{"math/rand/v2", Random, words("*"), words("New NewPCG NewChaCha8 NewZipf Rand.* Zipf.* PCG.* ChaCha8.* Source.*")},
	{"crypto/rand", Random, words("* Reader"), nil},
	{"hash/maphash", Random, words("*"), nil},
	{"sync", Concurrency, words("WaitGroup.Wait WaitGroup.Go Cond.Wait"), nil},
	{"sync", Global, words("Pool.Get"), nil},
	{"context", Concurrency, words("AfterFunc"), nil},
	{"runtime", Concurrency, words("Gosched Goexit NumGoroutine GC LockOSThread SetFinalizer AddCleanup ReadMemStats"), nil},
	{"os/signal", Concurrency, words("*"), nil},
	{"sync", MapOrder, words("Map.Range"), nil},
	{"reflect", MapOrder, words("Value.MapRange Value.MapKeys"), nil},
	{"reflect", Address, words("Value.Pointer Value.UnsafePointer Value.UnsafeAddr"), nil},
	{"os", Outside, words("*"), words("IsExist IsNotExist IsPermission IsTimeout IsPathSeparator NewSyscallError Expand " +
		"PathError.* LinkError.* SyscallError.* FileMode.* File.Write File.WriteString")},
	{"os/exec", Outside, words("*"), words("Error.* ExitError.*")},
	{"os/user", Outside, words("*"), nil},
	{"syscall", Outside, words("*"), words("Errno.*")},
	{"io/ioutil", Outside, words("ReadFile WriteFile ReadDir TempDir TempFile"), nil},
	{"path/filepath", Outside, words("Walk WalkDir Glob Abs EvalSymlinks"), nil},
	{"net", Outside, words("Dial DialTimeout DialTCP DialUDP DialIP DialUnix Listen ListenPacket ListenTCP ListenUDP ListenIP " +
		"ListenUnix ListenUnixgram ListenMulticastUDP LookupAddr LookupCNAME LookupHost LookupIP LookupMX LookupNS " +
		"LookupPort LookupSRV LookupTXT ResolveIPAddr ResolveTCPAddr ResolveUDPAddr Interfaces InterfaceAddrs " +
		"InterfaceByIndex InterfaceByName Pipe Dialer.* Resolver.* ListenConfig.* Conn.* PacketConn.* Listener.* " +
		"TCPConn.* UDPConn.* IPConn.* UnixConn.* TCPListener.* UnixListener.*"), nil},
	{"net/http", Outside, words("Get Head Post PostForm ListenAndServe ListenAndServeTLS Serve ServeTLS Client.* Server.* Transport.*"), nil},
	{"net/rpc", Outside, words("*"), words("ServerError.*")},
	{"net/smtp", Outside, words("*"), nil},
	{"crypto/tls", Outside, words("Dial DialWithDialer Listen Conn.*"), nil},
	{"database/sql", Outside, words("Open OpenDB DB.* Conn.* Tx.* Stmt.* Row.* Rows.*"), nil},
	{"runtime", Outside, words("NumCPU GOMAXPROCS Stack NumCgoCall"), nil},
	{"runtime/debug", Outside, words("*"), nil},
}

// mutable lists types of the standard library with methods that all count as changes of shared state when called on a
// package variable.
var mutable = words("sync.* sync/atomic.* bytes.Buffer strings.Builder container/list.List container/ring.Ring " +
	"math/rand.Rand math/rand/v2.Rand math/rand/v2.PCG math/rand/v2.ChaCha8")

// hazardOf returns the kind of hazard of using o, a function, method or variable.
func hazardOf(o types.Object) (Kind, bool) {
	name, all := memberName(o)
	if o.Pkg() == nil || name == "" {
		return "", false
	}
	in := func(names []string) bool {
		return slices.Contains(names, name) || all != "" && slices.Contains(names, all)
	}
	_, isFunc := o.(*types.Func)
	for _, e := range library {
		if e.pkg == o.Pkg().Path() && (in(e.names) || isFunc && o.Exported() && slices.Contains(e.names, "*") && !in(e.except)) {
			return e.kind, true
		}
	}
	return "", false
}

// memberName returns the name of an object in the tables. For a method, it also returns the name that stands for all
// methods of the type. Methods of an unnamed interface have no name.
func memberName(o types.Object) (name, all string) {
	f, ok := o.(*types.Func)
	if !ok || f.Signature().Recv() == nil {
		return o.Name(), ""
	}
	recv := receiver(f)
	if recv == nil {
		return "", ""
	}
	return recv.Obj().Name() + "." + o.Name(), recv.Obj().Name() + ".*"
}

// sharedState returns the name of a type, and whether any method call on a package variable of the type changes shared
// state.
func sharedState(t types.Type) (string, bool) {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		t = p.Elem()
	}
	n, ok := types.Unalias(t).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return "", false
	}
	path := n.Obj().Pkg().Path()
	name := path + "." + n.Obj().Name()
	return name, slices.Contains(mutable, name) || slices.Contains(mutable, path+".*")
}
