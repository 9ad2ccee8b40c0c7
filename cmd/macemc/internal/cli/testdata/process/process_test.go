package process

import (
	"runtime/debug"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

const pageSize = 4096

// Each page is a mapping. The first one is written before the tests.
var (
	mutex sync.Mutex
	count = 7
	first = mapped()

	other = mapped()
)

func init() { first[0] = 7 }

func mapped() []byte {
	b, err := syscall.Mmap(-1, 0, pageSize, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	return b
}

func TestMapped(t *testing.T) {
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			mutex.Lock()
			defer mutex.Unlock()
			count++
			if first[0]++; first[0] != byte(count) {
				t.Errorf("page has %d, variable has %d", first[0], count)
			}
			if other != nil && other[1] != 0 {
				t.Error("an earlier run has written to the page")
			}
		})
	}
	wg.Wait()
	other[1] = 1
	if err := syscall.Munmap(other); err != nil {
		t.Error(err)
	}
	if err := syscall.Mprotect(first, syscall.PROT_READ); err != nil {
		t.Error(err)
	}
	mapped()[0] = 1
}

var address uintptr = 1 << 46

// load reads an address that the process has not mapped.
func load() byte { return *(*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))) }

func TestFault(t *testing.T) {
	first := make(chan int, 2)
	for i := range 2 {
		go func() { first <- i }()
	}
	if <-first == 1 {
		load()
	}
	<-first
}

func TestRecovered(t *testing.T) {
	debug.SetPanicOnFault(true)
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	load()
}

// A sleep by a system call takes no real time, and others run meanwhile.
func TestSleeps(t *testing.T) {
	begun, other := time.Now(), time.Time{}
	var wg sync.WaitGroup
	wg.Go(func() { other = time.Now() })
	if err := syscall.Nanosleep(&syscall.Timespec{Sec: 3600}, nil); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if slept, meanwhile := time.Since(begun), other.Sub(begun); slept < time.Hour || meanwhile >= time.Hour {
		t.Error(slept, meanwhile)
	}
	if err := syscall.Nanosleep(&syscall.Timespec{Nsec: -1}, nil); err != syscall.EINVAL {
		t.Error(err)
	}
}

func TestExit(t *testing.T) { syscall.Exit(3) }
