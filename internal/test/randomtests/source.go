package randomtests

import (
	"fmt"
	"regexp"
	"strings"
)

// header precedes the test functions. Each of them writes its results to the file of RESULTS.
const header = `package x

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var (
	_ = context.Canceled
	_ = signal.Stop
	_ = reflect.Select
	_ = runtime.Gosched
	_ = time.Sleep
	_ sync.Once
	_ atomic.Int32

	results    int
	addInt32   = atomic.AddInt32
	operations = struct{ load func(*int32) int32 }{atomic.LoadInt32}
)

type number interface {
	Add(int32) int32
	Load() int32
	Store(int32)
	CompareAndSwap(int32, int32) bool
}

type box struct{ sync.Mutex }

func call(f func()) { f() }

func give[T any](c chan<- T, v T) { c <- v }

func take[T any](c <-chan T) (T, bool) { v, ok := <-c; return v, ok }

func truth(b bool) byte {
	if b {
		return 1
	}
	return 0
}

func end(t *testing.T, n int, want string, parts ...[]byte) {
	got := ""
	for i, p := range parts {
		if i > 0 {
			got += "|"
		}
		for _, b := range p {
			got += string(rune('a' + b))
		}
	}
	if results != 0 {
		syscall.Write(results, fmt.Appendf(nil, "%d %s\n", n, got))
	}
	if want != "" && got == want {
		t.Error("end", got)
	}
}

func choose(cases ...reflect.SelectCase) byte {
	i, v, ok := reflect.Select(cases)
	switch {
	case cases[i].Dir == reflect.SelectDefault:
		return 20
	case cases[i].Dir == reflect.SelectSend:
		return byte(5*i + 4)
	case !ok || v.Type() == reflect.TypeFor[time.Time]():
		return byte(5 * i)
	case v.CanInt() && v.Type() == reflect.TypeFor[int]():
		return byte(5*i + int(v.Int()))
	}
	return byte(5*i + 3)
}

func TestMain(m *testing.M) {
	if name := os.Getenv("RESULTS"); name != "" {
		file, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			panic(err)
		}
		results = int(file.Fd())
		defer file.Close()
	}
	m.Run()
}
`

// variables are what a program may use: the name and its declaration.
var variables = []struct{ name, text string }{
	{"m0", "var m0 sync.Mutex"}, {"m1", "var m1 box"}, {"rw", "var rw sync.RWMutex"}, {"a0", "var a0 atomic.Int32"}, {"a1", "var a1 int32"},
	{"x0", "var x0 int"}, {"x1", "var x1 int"}, {"c0", "var c0 = make(chan int)"}, {"c1", "var c1 = make(chan int, 1)"},
	{"c2", "var c2 = make(chan os.Signal, 1)"}, {"wg", "var wg sync.WaitGroup"}, {"once", "var once sync.Once"},
	{"table", "var table sync.Map"},
}

// String returns the test function.
func (p *Program) String() string {
	var b strings.Builder
	p.source(&b, 0)
	return b.String()
}

// Source returns the source of a package of tests: Test0 and so on.
func Source(programs []*Program) string {
	var b strings.Builder
	b.WriteString(header)
	for n, p := range programs {
		p.source(&b, n)
	}
	return b.String()
}

func (p *Program) source(b *strings.Builder, n int) {
	var body strings.Builder
	for k := range p.goroutines {
		i := (k + 1) % len(p.goroutines) // that of the test is the last
		loose := p.loose && i == len(p.goroutines)-1
		if i > 0 {
			body.WriteString("\tgo func() {\n")
		}
		fmt.Fprintf(&body, "\tvar r [%d]byte\n", len(p.goroutines[i]))
		for k, o := range p.goroutines[i] {
			body.WriteString(o.source(i, fmt.Sprintf("r[%d]", k)))
		}
		switch {
		case i == 0:
			body.WriteString("\tout0 = r[:]\n")
		case loose:
			body.WriteString("\t_ = r\n\t}()\n")
		default:
			fmt.Fprintf(&body, "\tout%d = r[:]\n\tall.Done()\n\t}()\n", i)
		}
	}
	text := body.String()
	var globals, locals strings.Builder
	for _, v := range variables {
		name := regexp.MustCompile(`\b` + v.name + `\b`)
		switch {
		case !name.MatchString(text):
		case p.global:
			own := fmt.Sprintf("p%d%s", n, v.name)
			text = name.ReplaceAllString(text, own)
			globals.WriteString(name.ReplaceAllString(v.text, own) + "\n")
		default:
			locals.WriteString("\t" + v.text + "\n\t_ = &" + v.name + "\n")
		}
	}
	group, signal := "wg", "c2"
	if p.global {
		group, signal = fmt.Sprintf("p%dwg", n), fmt.Sprintf("p%dc2", n)
	}
	fmt.Fprintf(b, "\n%sfunc Test%d(t *testing.T) {\n%s", globals.String(), n, locals.String())
	if strings.Contains(text, group+".") {
		fmt.Fprintf(b, "\t%s.Add(%d)\n", group, p.dones)
	}
	if strings.Contains(text, signal) {
		fmt.Fprintf(b, "\tsignal.Notify(%s, syscall.SIGUSR1)\n\tdefer signal.Stop(%s)\n", signal, signal)
	}
	if strings.Contains(text, "ctx") || strings.Contains(text, "cancel") {
		b.WriteString("\tctx0, cancel0 := context.WithCancel(context.Background())\n\tctx1, cancel1 := context.WithCancel(ctx0)\n")
		b.WriteString("\t_, _, _, _ = ctx0, cancel0, ctx1, cancel1\n")
	}
	var outs []string
	for i := range p.goroutines {
		if !p.loose || i < len(p.goroutines)-1 {
			outs = append(outs, fmt.Sprint("out", i))
		}
	}
	fmt.Fprintf(b, "\tvar %s []byte\n\tvar all sync.WaitGroup\n\tall.Add(%d)\n", strings.Join(outs, ", "), len(outs)-1)
	fmt.Fprintf(b, "%s\tall.Wait()\n\tend(t, %d, %q, %s)\n}\n", text, n, p.want, strings.Join(outs, ", "))
}

// pick returns one of several ways to write an operation.
func (o op) pick(ways ...string) string { return "\t" + ways[o.form%len(ways)] + "\n" }

// source returns the source of an operation of a goroutine. It assigns the result to r.
func (o op) source(g int, r string) string {
	mutex := []string{"m0", "m1"}[o.arg%2]
	switch o.kind {
	case lock:
		return o.pick(mutex+".Lock()", "call("+mutex+".Lock)", "sync.Locker(&"+mutex+").Lock()")
	case unlock:
		return o.pick(mutex+".Unlock()", "call("+mutex+".Unlock)", "sync.Locker(&"+mutex+").Unlock()")
	case try:
		return o.pick("if "+mutex+".TryLock() { "+r+" = 1; "+mutex+".Unlock() }",
			"if f := "+mutex+".TryLock; f() { "+r+" = 1; "+mutex+".Unlock() }")
	case rlock:
		return o.pick("rw.RLock()", "rw.RLocker().Lock()", "call(rw.RLock)")
	case runlock:
		return o.pick("rw.RUnlock()", "rw.RLocker().Unlock()")
	case wlock:
		return o.pick("rw.Lock()", "sync.Locker(&rw).Lock()")
	case wunlock:
		return o.pick("rw.Unlock()", "call(rw.Unlock)")
	case send, receive, closing, choose:
		return o.channel(g, r)
	case add, load, store, swap:
		return o.atomic(g, r)
	case yield:
		return o.pick("runtime.Gosched()", "call(runtime.Gosched)")
	case done:
		return o.pick("wg.Done()", "wg.Add(-1)", "call(wg.Done)", "func() { defer wg.Done() }()")
	case wait:
		return o.pick("wg.Wait()", "call(wg.Wait)")
	case cancel:
		return o.pick(fmt.Sprintf("cancel%d()", o.arg), fmt.Sprintf("call(cancel%d)", o.arg))
	case failure:
		return o.pick(fmt.Sprintf("%s = truth(ctx%d.Err() != nil)", r, o.arg),
			fmt.Sprintf("if err := ctx%d.Err(); err == context.Canceled { %s = 1 }", o.arg, r))
	case once:
		return o.pick("once.Do(func() { "+r+" = 1 })", "if f := func() { "+r+" = 1 }; true { once.Do(f) }",
			"call(func() { once.Do(func() { "+r+" = 1 }) })")
	case loadOrStore:
		return fmt.Sprintf("\tif v, _ := table.LoadOrStore(0, byte(%d)); true { %s = v.(byte) }\n", g+1, r)
	case sleep:
		return o.pick("time.Sleep(time.Second)", "<-time.After(time.Second)", "<-time.NewTimer(time.Second).C")
	case kill:
		return o.pick("syscall.Kill(os.Getpid(), syscall.SIGUSR1)",
			"if p, err := os.FindProcess(os.Getpid()); err == nil { p.Signal(syscall.SIGUSR1) }")
	case read:
		return fmt.Sprintf("\t%s = byte(x%d)\n", r, o.arg)
	case write:
		return fmt.Sprintf("\tx%d = %d\n", o.arg, g+1)
	}
	panic(fmt.Sprint(o.kind))
}

func (o op) atomic(g int, r string) string {
	switch {
	case o.kind == add && o.arg == 0:
		return o.pick(r+" = byte(a0.Add(1))", "if f := a0.Add; true { "+r+" = byte(f(1)) }",
			"if i := number(&a0); true { "+r+" = byte(i.Add(1)) }",
			r+" = byte((*atomic.Int32).Add(&a0, 1))",
			r+` = byte(reflect.ValueOf(&a0).MethodByName("Add").Call([]reflect.Value{reflect.ValueOf(int32(1))})[0].Int())`)
	case o.kind == add:
		return o.pick(r+" = byte(atomic.AddInt32(&a1, 1))", "if f := atomic.AddInt32; true { "+r+" = byte(f(&a1, 1)) }",
			r+" = byte(addInt32(&a1, 1))")
	case o.kind == load && o.arg == 0:
		return o.pick(r+" = byte(a0.Load())", "if f := a0.Load; true { "+r+" = byte(f()) }",
			"if i := number(&a0); true { "+r+" = byte(i.Load()) }",
			r+" = byte((*atomic.Int32).Load(&a0))", "if f := number(&a0).Load; true { "+r+" = byte(f()) }")
	case o.kind == load:
		return o.pick(r+" = byte(atomic.LoadInt32(&a1))", "if f := atomic.LoadInt32; true { "+r+" = byte(f(&a1)) }",
			r+" = byte(operations.load(&a1))")
	case o.kind == store && o.arg == 0:
		return o.pick(fmt.Sprintf("a0.Store(%d)", 5+g), fmt.Sprintf("number(&a0).Store(%d)", 5+g),
			fmt.Sprintf("func() { defer a0.Store(%d) }()", 5+g))
	case o.kind == store:
		return o.pick(fmt.Sprintf("atomic.StoreInt32(&a1, %d)", 5+g), fmt.Sprintf("func() { defer atomic.StoreInt32(&a1, %d) }()", 5+g))
	case o.arg == 0:
		return o.pick(r+" = truth(a0.CompareAndSwap(0, 9))", r+" = truth(number(&a0).CompareAndSwap(0, 9))",
			"if f := a0.CompareAndSwap; f(0, 9) { "+r+" = 1 }")
	}
	return o.pick(r+" = truth(atomic.CompareAndSwapInt32(&a1, 0, 9))", "if f := atomic.CompareAndSwapInt32; f(&a1, 0, 9) { "+r+" = 1 }")
}

// channelNames are the expressions of the channels.
var channelNames = [channels]string{"c0", "c1", "c2", "ctx0.Done()", "ctx1.Done()"}

func (o op) channel(g int, r string) string {
	name := channelNames[o.arg]
	switch o.kind {
	case send:
		return o.pick(fmt.Sprintf("%s <- %d; %s = 4", name, g+1, r), fmt.Sprintf("give(%s, %d); %s = 4", name, g+1, r))
	case closing:
		return o.pick("close("+name+")", "func() { defer close("+name+") }()")
	case receive:
		if o.arg < signals {
			return o.pick(r+" = byte(<-"+name+")", "if v, ok := take("+name+"); ok { "+r+" = byte(v) }")
		}
		return o.pick("if _, ok := <-"+name+"; ok { "+r+" = 3 }", "if _, ok := take("+name+"); ok { "+r+" = 3 }")
	}
	var cases []string
	reflected := o.form == 5
	for i, a := range o.arms {
		cases = append(cases, a.source(i, g, r, reflected))
	}
	switch {
	case reflected && o.fallback:
		cases = append(cases, "reflect.SelectCase{Dir: reflect.SelectDefault}")
	case o.fallback:
		cases = append(cases, "default: "+r+" = 20")
	}
	if reflected {
		return "\t" + r + " = choose(" + strings.Join(cases, ", ") + ")\n"
	}
	return "\tselect {\n\t" + strings.Join(cases, "\n\t") + "\n\t}\n"
}

func (a arm) source(i, g int, r string, reflected bool) string {
	name := "time.After(time.Second)"
	if a.channel >= 0 {
		name = channelNames[a.channel]
	}
	switch {
	case reflected && a.send:
		return fmt.Sprintf("reflect.SelectCase{Dir: reflect.SelectSend, Chan: reflect.ValueOf(%s), Send: reflect.ValueOf(%d)}", name, g+1)
	case reflected:
		return fmt.Sprintf("reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(%s)}", name)
	case a.send:
		return fmt.Sprintf("case %s <- %d: %s = %d", name, g+1, r, 5*i+4)
	case a.channel < 0:
		return fmt.Sprintf("case <-%s: %s = %d", name, r, 5*i)
	case a.channel < signals:
		return fmt.Sprintf("case v := <-%s: %s = byte(%d + v)", name, r, 5*i)
	}
	return fmt.Sprintf("case _, ok := <-%s: %s = %d + 3*truth(ok)", name, r, 5*i)
}
