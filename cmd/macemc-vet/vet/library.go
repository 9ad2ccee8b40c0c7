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
	names  string
	except string // exceptions of "*"
}

// library lists the hazards of the standard library.
func library() []entry {
	return []entry{
		{"time", Clock, "Now Since Until Sleep After AfterFunc Tick NewTimer NewTicker", ""},
		{"context", Clock, "WithTimeout WithTimeoutCause WithDeadline WithDeadlineCause", ""},
		{"math/rand", Random, "*", "New NewSource NewZipf Rand.* Zipf.* Source.* Source64.*"},
		{"math/rand/v2", Random, "*", "New NewPCG NewChaCha8 NewZipf Rand.* Zipf.* PCG.* ChaCha8.* Source.*"},
		{"crypto/rand", Random, "* Reader", ""},
		{"hash/maphash", Random, "*", ""},
		{"sync", Concurrency, "WaitGroup.Wait WaitGroup.Go Cond.Wait", ""},
		{"sync", Global, "Pool.Get", ""},
		{"context", Concurrency, "AfterFunc", ""},
		{"runtime", Concurrency, "Gosched Goexit NumGoroutine GC LockOSThread SetFinalizer AddCleanup ReadMemStats", ""},
		{"os/signal", Concurrency, "*", ""},
		{"sync", MapOrder, "Map.Range", ""},
		{"reflect", MapOrder, "Value.MapRange Value.MapKeys", ""},
		{"reflect", Address, "Value.Pointer Value.UnsafePointer Value.UnsafeAddr", ""},
		{"os", Outside, "*", "IsExist IsNotExist IsPermission IsTimeout IsPathSeparator NewSyscallError Expand " +
			"PathError.* LinkError.* SyscallError.* FileMode.* File.Write File.WriteString"},
		{"os/exec", Outside, "*", "Error.* ExitError.*"},
		{"os/user", Outside, "*", ""},
		{"syscall", Outside, "*", "Errno.*"},
		{"io/ioutil", Outside, "ReadFile WriteFile ReadDir TempDir TempFile", ""},
		{"path/filepath", Outside, "Walk WalkDir Glob Abs EvalSymlinks", ""},
		{"net", Outside, "Dial DialTimeout DialTCP DialUDP DialIP DialUnix Listen ListenPacket ListenTCP ListenUDP ListenIP " +
			"ListenUnix ListenUnixgram ListenMulticastUDP LookupAddr LookupCNAME LookupHost LookupIP LookupMX LookupNS " +
			"LookupPort LookupSRV LookupTXT ResolveIPAddr ResolveTCPAddr ResolveUDPAddr Interfaces InterfaceAddrs " +
			"InterfaceByIndex InterfaceByName Pipe Dialer.* Resolver.* ListenConfig.* Conn.* PacketConn.* Listener.* " +
			"TCPConn.* UDPConn.* IPConn.* UnixConn.* TCPListener.* UnixListener.*", ""},
		{"net/http", Outside, "Get Head Post PostForm ListenAndServe ListenAndServeTLS Serve ServeTLS Client.* Server.* Transport.*", ""},
		{"net/rpc", Outside, "*", "ServerError.*"},
		{"net/smtp", Outside, "*", ""},
		{"crypto/tls", Outside, "Dial DialWithDialer Listen Conn.*", ""},
		{"database/sql", Outside, "Open OpenDB DB.* Conn.* Tx.* Stmt.* Row.* Rows.*", ""},
		{"runtime", Outside, "NumCPU GOMAXPROCS Stack NumCgoCall", ""},
		{"runtime/debug", Outside, "*", ""},
	}
}

// mutable lists types of the standard library with methods that all count as changes of shared state when called on a
// package variable.
const mutable = "sync.* sync/atomic.* bytes.Buffer strings.Builder container/list.List container/ring.Ring " +
	"math/rand.Rand math/rand/v2.Rand math/rand/v2.PCG math/rand/v2.ChaCha8"

// tables holds the tables above, for look-ups.
type tables struct {
	entries map[string][]known
	mutable []string
}

type known struct {
	kind          Kind
	names, except []string
}

func newTables() *tables {
	t := &tables{entries: map[string][]known{}, mutable: strings.Fields(mutable)}
	for _, e := range library() {
		t.entries[e.pkg] = append(t.entries[e.pkg], known{e.kind, strings.Fields(e.names), strings.Fields(e.except)})
	}
	return t
}

// hazard returns the kind of hazard of using o, a function, method or variable.
func (t *tables) hazard(o types.Object) (Kind, bool) {
	name, all := memberName(o)
	if o.Pkg() == nil || name == "" {
		return "", false
	}
	in := func(names []string) bool {
		return slices.Contains(names, name) || all != "" && slices.Contains(names, all)
	}
	_, isFunc := o.(*types.Func)
	for _, e := range t.entries[o.Pkg().Path()] {
		if in(e.names) || isFunc && o.Exported() && slices.Contains(e.names, "*") && !in(e.except) {
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

// state reports whether any method call on a package variable of the type changes shared state.
func (t *tables) state(typ types.Type) (string, bool) {
	if p, ok := typ.Underlying().(*types.Pointer); ok {
		typ = p.Elem()
	}
	n, ok := types.Unalias(typ).(*types.Named)
	if !ok || n.Obj().Pkg() == nil {
		return "", false
	}
	name := n.Obj().Pkg().Path() + "." + n.Obj().Name()
	return name, slices.Contains(t.mutable, name) || slices.Contains(t.mutable, n.Obj().Pkg().Path()+".*")
}
