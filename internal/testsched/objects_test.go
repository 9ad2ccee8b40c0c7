package testsched

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/testsched/program"
)

// The text of an object is what its line holds for it. Lines that hold several, or none, determine no text.
func TestStack_Object(t *testing.T) {
	tests := []struct {
		line, callee string
		op           Op
		want         string
	}{
		{"s.mu.Lock()", "sync.(*Mutex).Lock", opLock, "s.mu"},
		{"	s.mu.Lock() // s.other.Lock()", "sync.(*Mutex).Lock", opLock, "s.mu"},
		{"if a.mu.TryLock() { b.mu.Lock() }", "sync.(*Mutex).TryLock", opTryLock, "a.mu"},
		{"a.mu.Lock(); b.mu.Lock()", "sync.(*Mutex).Lock", opLock, ""},
		{"a.mu.Lock(); f(); a.mu.Lock()", "sync.(*Mutex).Lock", opLock, "a.mu"},
		{`m["a.Lock()"].Lock()`, "sync.(*Mutex).Lock", opLock, `m["a.Lock()"]`},
		{"s.of(key, 1)[i].Lock()", "sync.(*Mutex).Lock", opLock, "s.of(key, 1)[i]"},
		{"(&s.mu).Lock()", "sync.(*Mutex).Lock", opLock, "(&s.mu)"},
		{"defer s.mu.Unlock()", "sync.(*Mutex).Unlock", opUnlock, "s.mu"},
		{"return", "sync.(*Mutex).Unlock", opUnlock, ""},
		{"rw.RLocker().Lock()", "sync.(*rlocker).Lock", opRLock, "rw.RLocker()"},
		{"s.mu.Lock()", "sync.(*RWMutex).Lock", opLock, "s.mu"},
		{"func() sync.Locker { return &mu }().Lock()", "sync.(*Mutex).Lock", opLock, ""},
		{".Lock()", "sync.(*Mutex).Lock", opLock, ""},
		{"s.once.Do(f)", "sync.(*Once).Do", opOnce, "s.once"},
		{"s.once.Do(f)", "sync.(*Once).Do", opLock, ""}, // a lock inside the Once
		{"m.Store(1, 2)", "sync.(*Map).Store", opLock, ""},
		{"wg.Go(func() {", "sync.(*WaitGroup).Go", opWaitGroup, "wg"},
		{"c.Wait()", "sync.(*Cond).Wait", opCond, "c"},
		{"c.Wait()", "sync.(*Cond).Wait", opUnlock, "c.L"},
		{"s.n.Add(1)", "sync/atomic.(*Int32).Add", opAtomic, "s.n"},
		{"p.Load()", "sync/atomic.(*Pointer[...]).Load", opAtomic, "p"},
		{"atomic.AddInt32(&s.n, f(1))", "sync/atomic.AddInt32", opAtomic, "s.n"},
		{"atomic.AddInt32(p, 1)", "sync/atomic.AddInt32", opAtomic, "p"},
		{"t.Stop()", "time.(*Timer).Stop", opTimer, "t"},
		{"s.ch <- 1", "runtime.chansend1", opSend, "s.ch"},
		{"go func() { s.ch <- v }()", "runtime.chansend1", opSend, "s.ch"},
		{"case s.ch <- v:", "runtime.selectnbsend", opSend, "s.ch"},
		{"a <- <-b", "runtime.chansend1", opSend, ""},
		{"a <- <-b", "runtime.chanrecv1", opReceive, ""},
		{"a <- b", "runtime.chanrecv1", opReceive, ""},
		{"<-done", "runtime.chanrecv1", opReceive, "done"},
		{"case v, ok := <-s.ch:", "runtime.chanrecv2", opReceive, "s.ch"},
		{"return <-ctx.Done()", "runtime.chanrecv1", opReceive, "ctx.Done()"},
		{"x := f(<-chans[i+1])", "runtime.chanrecv1", opReceive, "chans[i+1]"},
		{"func(c <-chan int) { <-c }(x)", "runtime.chanrecv1", opReceive, "c"},
		{"func(c chan<- int) { c <- 1 }(x)", "runtime.chansend1", opSend, "c"},
		{"for x := range s.ch {", "runtime.chanrecv2", opReceive, "s.ch"},
		{"close(s.ch)", "runtime.closechan", opClose, "s.ch"},
		{"s.close(1); close(ch)", "runtime.closechan", opClose, "ch"},
		{"foo(ch)", "net/http.foo", opSend, ""},
		{"s.extremelyLong.fieldsOf.objects.whose.names.are.long.Lock()", "sync.(*Mutex).Lock", opLock, ""},
	}
	var b strings.Builder
	for _, test := range tests {
		b.WriteString(test.line + "\n\n")
	}
	b.WriteString("s.\nmu.Lock()\n`\na.Lock() ` ; b.Lock()\n")
	file := filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	at := func(line int, callee string, op Op) string {
		return Stack{{Function: callee, File: program.Root + "x.go"}, {Function: "example.org/x.f", File: file, Line: line}}.Object(op)
	}
	for i, test := range tests {
		if got := at(2*i+1, test.callee, test.op); got != test.want {
			t.Errorf("%s, called by %q: %q, want %q", test.callee, test.line, got, test.want)
		}
	}
	for line, want := range map[int]string{2: "", 4: "b"} { // behind the others
		if got := at(2*len(tests)+line, "sync.(*Mutex).Lock", opLock); got != want {
			t.Errorf("line %d behind the others: %q, want %q", line, got, want)
		}
	}
}

// A label has the number if the object has several texts, or its text stands for several objects.
func TestObjects_Label(t *testing.T) {
	var l Objects
	for _, o := range []struct {
		at   uintptr
		text string
	}{{8, "s.mu"}, {16, ""}, {24, "mu"}, {32, "mu"}, {40, "a"}, {40, "b"}, {8, ""}, {0, "c"}} {
		l.Add(o.at, o.text)
	}
	for _, test := range []struct {
		op   Op
		at   uintptr
		text string
		want string
	}{
		{opLock, 8, "s.mu", "s.mu"}, {opUnlock, 8, "", "s.mu"}, {opRead, 8, "", "#1"}, {opLock, 16, "", "#2"}, {opLock, 24, "mu", "mu #3"},
		{opLock, 32, "", "mu #4"}, {opLock, 40, "a", "a #5"}, {opLock, 40, "b", "b #5"}, {opUnlock, 40, "", "#5"}, {opCond, 0, "c", "c"}, {opGo, 0, "", ""},
	} {
		if got := l.Label(test.op, test.at, test.text); got != test.want {
			t.Errorf("%v at %d with %q: %q, want %q", test.op, test.at, test.text, got, test.want)
		}
	}
}

// A goroutine that waits for the Mutex of an RWMutex waits for the RWMutex.
func TestStack_Inner(t *testing.T) {
	user := frame{Function: "example.org/x.f", File: "/m/x.go", Line: 1}
	lock, rw := frame{Function: "sync.(*Mutex).Lock", File: program.Root + "x.go"}, frame{Function: "sync.(*RWMutex).Lock", File: program.Root + "x.go"}
	for _, test := range []struct {
		stack Stack
		want  string
	}{
		{Stack{lock, rw, user}, "goroutine 2 waits to lock RWMutex s.mu at x.go:1"},
		{Stack{lock, user}, "goroutine 2 waits to lock Mutex s.mu at x.go:1"},
	} {
		g := Goroutine{Number: 2, Waits: "sync.Mutex.Lock (durable)", At: "x.go:1", Object: "s.mu", Stack: test.stack}
		if got := g.String(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	if got := opUnlock.Inner().on("s.mu"); got != "lets other writers into s.mu" {
		t.Error(got)
	}
	if Address(0x101) != Address(0x100) {
		t.Error("an RWMutex and its Mutex are two objects")
	}
}
