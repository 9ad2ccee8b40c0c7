package cli

import (
	"os"
	"strings"
	"testing"
)

// atomics are tests that fail only if another goroutine runs between two atomic operations, however these are called.
const atomics = `package x

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

func fails(t *testing.T, load func() int32, store func(int32)) {
	t.Helper()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { store(load() + 1) })
	}
	wg.Wait()
	if load() != 2 {
		t.Error("an update is lost")
	}
}

func TestDirect(t *testing.T) {
	var x atomic.Int32
	fails(t, func() int32 { return x.Load() }, func(n int32) { x.Store(n) })
}

func TestFunction(t *testing.T) {
	var x int32
	load, store := atomic.LoadInt32, atomic.StoreInt32
	fails(t, func() int32 { return load(&x) }, func(n int32) { store(&x, n) })
}

func TestMethodValue(t *testing.T) {
	var x atomic.Int32
	fails(t, x.Load, x.Store)
}

func TestMethodExpression(t *testing.T) {
	var x atomic.Int32
	load, store := (*atomic.Int32).Load, (*atomic.Int32).Store
	fails(t, func() int32 { return load(&x) }, func(n int32) { store(&x, n) })
}

type cell interface {
	Load() int32
	Store(int32)
}

func TestInterface(t *testing.T) {
	var x cell = new(atomic.Int32)
	fails(t, x.Load, x.Store)
}

type counter struct{ atomic.Int32 }

func TestEmbedded(t *testing.T) {
	var x counter
	fails(t, x.Load, x.Store)
}

func TestPointer(t *testing.T) {
	var x atomic.Pointer[int32]
	x.Store(new(int32))
	load, store := x.Load, x.Store
	fails(t, func() int32 { return *load() }, func(n int32) { store(&n) })
}

type pointer interface {
	Load() *int32
	Store(*int32)
}

func TestPointerInterface(t *testing.T) {
	var x pointer = new(atomic.Pointer[int32])
	x.Store(new(int32))
	fails(t, func() int32 { return *x.Load() }, func(n int32) { x.Store(&n) })
}

func TestValue(t *testing.T) {
	var x atomic.Value
	x.Store(int32(0))
	load, store := x.Load, x.Store
	fails(t, func() int32 { return load().(int32) }, func(n int32) { store(n) })
}

func TestReflect(t *testing.T) {
	var x atomic.Int32
	v := reflect.ValueOf(&x)
	load, store := v.MethodByName("Load"), v.MethodByName("Store")
	fails(t, func() int32 { return int32(load.Call(nil)[0].Int()) }, func(n int32) { store.Call([]reflect.Value{reflect.ValueOf(n)}) })
}

func TestReflectInterface(t *testing.T) {
	var x atomic.Int32
	v := reflect.ValueOf(&x)
	fails(t, v.MethodByName("Load").Interface().(func() int32), v.MethodByName("Store").Interface().(func(int32)))
}

func TestDefer(t *testing.T) {
	var x atomic.Int32
	fails(t, x.Load, func(n int32) {
		for range 1 { // not known to the compiler
			defer x.Store(n)
		}
	})
}

func TestOnce(t *testing.T) {
	var x atomic.Int32
	fails(t, func() int32 { return sync.OnceValue(x.Load)() }, x.Store)
}

func TestStandard(t *testing.T) {
	var x atomic.Int32
	fails(t, x.Load, func(n int32) { slices.Values([]int32{n})(func(n int32) bool { x.Store(n); return true }) })
}

func TestStarted(t *testing.T) {
	var x atomic.Bool
	ctx, cancel := context.WithCancel(context.Background())
	clear := func() { x.Store(true) }
	context.AfterFunc(ctx, clear)
	cancel()
	if load := x.Load; load() {
		t.Error("already set")
	}
}

var shared atomic.Int32

func TestRestored(t *testing.T) {
	if shared.Add(1) != 1 {
		t.Fatal("not restored")
	}
	t.Error("first run")
}
`

// An atomic operation is a scheduling point, however it is called. The path of the module may begin like that of a package of the
// distribution.
func TestTest_AtomicCalls(t *testing.T) {
	for _, module := range []string{"sync.example.org/x", "internal/app"} {
		t.Run(module, func(t *testing.T) {
			testFile(t, atomics)
			if err := os.WriteFile("go.mod", []byte("module "+module+"\n\ngo 1.26\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			out, _ := testCommand(t.Context(), "-count=1", "-v", "-exhaustive", ".")
			if strings.Contains(out, "--- PASS") || strings.Count(out, "--- FAIL") != strings.Count(atomics, "\nfunc Test") ||
				strings.Contains(out, "not restored") || strings.Contains(out, "the standard library") {
				t.Errorf("a test passes, or has no place:\n%s", out)
			}
		})
	}
}
