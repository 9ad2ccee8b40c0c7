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
		op           program.Op
		want         string
	}{
		{"s.mu.Lock()", "sync.(*Mutex).Lock", program.OpLock, "s.mu"},
		{"	s.mu.Lock() // s.other.Lock()", "sync.(*Mutex).Lock", program.OpLock, "s.mu"},
		{"if a.mu.TryLock() { b.mu.Lock() }", "sync.(*Mutex).TryLock", program.OpTryLock, "a.mu"},
		{"a.mu.Lock(); b.mu.Lock()", "sync.(*Mutex).Lock", program.OpLock, ""},
		{"a.mu.Lock(); f(); a.mu.Lock()", "sync.(*Mutex).Lock", program.OpLock, "a.mu"},
		{`m["a.Lock()"].Lock()`, "sync.(*Mutex).Lock", program.OpLock, `m["a.Lock()"]`},
		{"s.of(key, 1)[i].Lock()", "sync.(*Mutex).Lock", program.OpLock, "s.of(key, 1)[i]"},
		{"(&s.mu).Lock()", "sync.(*Mutex).Lock", program.OpLock, "(&s.mu)"},
		{"defer s.mu.Unlock()", "sync.(*Mutex).Unlock", program.OpUnlock, "s.mu"},
		{"return", "sync.(*Mutex).Unlock", program.OpUnlock, ""},
		{"rw.RLocker().Lock()", "sync.(*rlocker).Lock", program.OpRLock, "rw.RLocker()"},
		{"s.mu.Lock()", "sync.(*RWMutex).Lock", program.OpLock, "s.mu"},
		{"func() sync.Locker { return &mu }().Lock()", "sync.(*Mutex).Lock", program.OpLock, ""},
		{".Lock()", "sync.(*Mutex).Lock", program.OpLock, ""},
		{"s.once.Do(f)", "sync.(*Once).Do", program.OpOnce, "s.once"},
		{"s.once.Do(f)", "sync.(*Once).Do", program.OpLock, ""}, // a lock inside the Once
		{"m.Store(1, 2)", "sync.(*Map).Store", program.OpLock, ""},
		{"wg.Go(func() {", "sync.(*WaitGroup).Go", program.OpWaitGroup, "wg"},
		{"c.Wait()", "sync.(*Cond).Wait", program.OpCond, "c"},
		{"c.Wait()", "sync.(*Cond).Wait", program.OpUnlock, ""},
		{"s.n++ // counts", "runtime.racewrite", program.OpWrite, "s.n"},
		{"n = f(m) == 1", "runtime.racewrite", program.OpWrite, "n"},
		{"n <<= 1", "runtime.racewrite", program.OpWrite, "n"},
		{"n == m", "runtime.racewrite", program.OpWrite, ""},
		{"a, b = b, a", "runtime.racewrite", program.OpWrite, ""},
		{"s.list = append(s.list, x)", "runtime.racewrite", program.OpWrite, ""},
		{"m = 1; n = 2", "runtime.racewrite", program.OpWrite, ""},
		{"m = T{n: 2}", "runtime.racewrite", program.OpWrite, ""},
		{"n++", "runtime.racewrite", program.OpRead, ""},
		{"s.n.Add(1)", "sync/atomic.(*Int32).Add", program.OpAtomic, "s.n"},
		{"p.Load()", "sync/atomic.(*Pointer[...]).Load", program.OpAtomic, "p"},
		{"atomic.AddInt32(&s.n, f(1))", "sync/atomic.AddInt32", program.OpAtomic, "s.n"},
		{"atomic.AddInt32(p, 1)", "sync/atomic.AddInt32", program.OpAtomic, "p"},
		{"t.Stop()", "time.(*Timer).Stop", program.OpTimer, "t"},
		{"s.ch <- 1", "runtime.chansend1", program.OpSend, "s.ch"},
		{"go func() { s.ch <- v }()", "runtime.chansend1", program.OpSend, "s.ch"},
		{"case s.ch <- v:", "runtime.selectnbsend", program.OpSend, "s.ch"},
		{"a <- <-b", "runtime.chansend1", program.OpSend, ""},
		{"a <- <-b", "runtime.chanrecv1", program.OpReceive, ""},
		{"a <- b", "runtime.chanrecv1", program.OpReceive, ""},
		{"<-done", "runtime.chanrecv1", program.OpReceive, "done"},
		{"case v, ok := <-s.ch:", "runtime.chanrecv2", program.OpReceive, "s.ch"},
		{"return <-ctx.Done()", "runtime.chanrecv1", program.OpReceive, "ctx.Done()"},
		{"x := f(<-chans[i+1])", "runtime.chanrecv1", program.OpReceive, "chans[i+1]"},
		{"func(c <-chan int) { <-c }(x)", "runtime.chanrecv1", program.OpReceive, "c"},
		{"func(c chan<- int) { c <- 1 }(x)", "runtime.chansend1", program.OpSend, "c"},
		{"for x := range s.ch {", "runtime.chanrecv2", program.OpReceive, "s.ch"},
		{"close(s.ch)", "runtime.closechan", program.OpClose, "s.ch"},
		{"s.close(1); close(ch)", "runtime.closechan", program.OpClose, "ch"},
		{"foo(ch)", "net/http.foo", program.OpSend, ""},
		{"s.extremelyLong.fieldsOf.objects.whose.names.are.long.Lock()", "sync.(*Mutex).Lock", program.OpLock, ""},
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
	at := func(line int, callee string, op program.Op) string {
		return Stack{{Function: callee, File: program.Root + "x.go"}, {Function: "example.org/x.f", File: file, Line: line}}.Object(op)
	}
	for i, test := range tests {
		if got := at(2*i+1, test.callee, test.op); got != test.want {
			t.Errorf("%s, called by %q: %q, want %q", test.callee, test.line, got, test.want)
		}
	}
	for line, want := range map[int]string{2: "", 4: "b"} { // behind the others
		if got := at(2*len(tests)+line, "sync.(*Mutex).Lock", program.OpLock); got != want {
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
		l.Add(program.OpLock, o.at, o.text)
	}
	l.Add(program.OpRead, 48, "")
	l.Add(program.OpWrite, 48, "s.n")
	for _, test := range []struct {
		op   program.Op
		at   uintptr
		text string
		want string
	}{
		{program.OpLock, 8, "s.mu", "`s.mu`"}, {program.OpUnlock, 8, "", "`s.mu`"}, {program.OpRead, 8, "", "#1"}, {program.OpLock, 16, "",
			"#2"}, {program.OpLock, 24, "mu", "`mu` #3"},
		{program.OpLock, 32, "", "`mu` #4"}, {program.OpLock, 40, "a", "`a` #5"}, {program.OpLock, 40, "b", "`b` #5"}, {program.OpUnlock, 40, "",
			"#5"}, {program.OpRead, 48, "", "`s.n` #6"}, {program.OpWrite, 40, "", "#5"}, {program.OpCond, 0, "c", "`c`"}, {program.OpGo, 0, "", ""},
	} {
		if got := l.Label(test.op, test.at, test.text); got != test.want {
			t.Errorf("%v at %d with %q: %q, want %q", test.op, test.at, test.text, got, test.want)
		}
	}
}

// A goroutine that waits for the Mutex of an RWMutex waits for the RWMutex.
func TestStack_Inner(t *testing.T) {
	user := Frame{Function: "example.org/x.f", File: "/m/x.go", Line: 1}
	lock, rw := Frame{Function: "sync.(*Mutex).Lock", File: program.Root + "x.go"}, Frame{Function: "sync.(*RWMutex).Lock",
		File: program.Root + "x.go"}
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
	if got := program.OpUnlock.Inner().On("s.mu"); got != "completes the unlock of s.mu" {
		t.Error(got)
	}
	if Address(0x101) != Address(0x100) {
		t.Error("an RWMutex and its Mutex are two objects")
	}
}

// The text of an operation has the method and its arguments in the line that calls it.
func TestStack_Call(t *testing.T) {
	tests := []struct {
		line    string
		callees []string // innermost first
		op      program.Op
		want    string
	}{
		{"wg.Add(len(list))", []string{"sync.(*WaitGroup).Add"}, program.OpWaitGroup, "calls Add(len(list)) of WaitGroup `o`"},
		{"wg.Add(1); wg.Add(2)", []string{"sync.(*WaitGroup).Add"}, program.OpWaitGroup, "calls Add of WaitGroup `o`"},
		{"defer wg.Done()", []string{"sync.(*WaitGroup).Add", "sync.(*WaitGroup).Done"}, program.OpWaitGroup, "calls Done of WaitGroup `o`"},
		{"wg.Go(f)", []string{"sync.(*WaitGroup).Add", "sync.(*WaitGroup).Go"}, program.OpWaitGroup, "calls Go(f) of WaitGroup `o`"},
		{"t.Stop()", []string{"time.(*Timer).Stop"}, program.OpTimer, "stops timer `o`"},
		{"t.Reset(d)", []string{"time.(*Ticker).Reset"}, program.OpTimer, "resets timer `o`"},
		{"n.Store(7)", []string{"sync/atomic.(*Int64).Store"}, program.OpAtomic, "calls Store(7) of atomic `o`"},
		{"atomic.AddInt64(&n, 1)", []string{"sync/atomic.AddInt64"}, program.OpAtomic, "calls AddInt64(&n, 1) of atomic `o`"},
		{"mu.RUnlock()", []string{"sync.(*RWMutex).RUnlock"}, program.OpUnlock, "read-unlocks `o`"},
		{"if mu.TryRLock() {", []string{"sync.(*RWMutex).TryRLock"}, program.OpTryLock, "tries to read-lock `o`"},
		{"c <- 1", []string{"runtime.chansend1"}, program.OpSend, "sends to `o`"},
		{"http.Get(url)", []string{"sync.(*Cond).Signal", "net/http.Get"}, program.OpCond, "calls Signal of Cond `o`"},
		{"f()", nil, program.OpAtomic, "accesses atomic `o`"},
		{"ctx.Err()", []string{"sync/atomic.(*Value).Load", "context.(*cancelCtx).Err"}, program.OpAtomic, "uses atomic `o` in context.(*cancelCtx).Err"},
		{"http.Get(url)", []string{"sync/atomic.(*Int32).Add", "net/http.(*Client).do", "net/http.Get"}, program.OpAtomic, "uses atomic `o` in http.Get"},
		{"sync.OnceFunc(f)()", []string{"sync/atomic.(*Uint32).Load", "sync.(*Once).Do"}, program.OpAtomic, "calls Load of atomic `o`"},
	}
	file := filepath.Join(t.TempDir(), "x.go")
	var lines strings.Builder
	for _, test := range tests {
		lines.WriteString(test.line + "\n")
	}
	if err := os.WriteFile(file, []byte(lines.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for i, test := range tests {
		var s Stack
		for _, callee := range test.callees {
			s = append(s, Frame{Function: callee, File: program.Root + "x.go"})
		}
		s = append(s, Frame{Function: "example.org/x.f", File: file, Line: i + 1}, Frame{Function: "sync.(*Once).Do", File: program.Root + "x.go"})
		if got := test.op.By(s.Call(test.op), "`o`"); got != test.want {
			t.Errorf("%s: %q, want %q", test.line, got, test.want)
		}
	}
}
