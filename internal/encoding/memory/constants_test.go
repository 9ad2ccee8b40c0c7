package memory

import (
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
)

func TestPointerMask(t *testing.T) {
	for _, c := range []struct {
		program []byte
		want    string
	}{
		{[]byte{0}, ""},
		{[]byte{3, 0b101, 0}, "101"},
		{[]byte{9, 0b10000001, 1, 0}, "100000011"},
		{[]byte{2, 0b01, 0x82, 3, 0}, "10101010"},                     // twice two bits, three more times
		{[]byte{1, 0, 0x80, 1, 0x81, 1, 0}, strings.Repeat("0", 130)}, // one bit, 129 more times
	} {
		var got strings.Builder
		for _, isPointer := range pointerMask(&c.program[0], 200) {
			got.WriteByte("01"[map[bool]int{true: 1}[isPointer]])
		}
		if got.String() != c.want {
			t.Errorf("%x: got %s, want %s", c.program, got.String(), c.want)
		}
	}
	// The mask has an entry for each word of the variables.
	words := int((address(&endFilled) - address(&filled)) / unsafe.Sizeof(uintptr(0)))
	if mask := pointerMask(&filledPointers, words); len(mask) != words {
		t.Errorf("%d of %d words", len(mask), words)
	}
}

// A number that equals an address is not a pointer to it.
func TestOnlyPointersNameConstants(t *testing.T) {
	here, there := new(int), new(int)
	mixed.pointer, mixed.number = here, uintptr(unsafe.Pointer(there))
	c := findConstants(nil)
	if !c.Has(unsafe.Pointer(here)) || c.Has(unsafe.Pointer(there)) {
		t.Error("pointers and numbers are confused")
	}
	mixed.pointer, mixed.number = nil, 0
}

var mixed struct {
	pointer *int
	number  uintptr
}

// Later memory is not a constant, even next to one.
func TestNewMemoryIsNoConstant(t *testing.T) {
	c := findConstants(nil)
	var made []any
	for range 10_000 {
		small, mark, chain := new(int8), new(struct{ n int }), new(struct{ next, mark *int })
		made = append(made, small, mark, chain)
		if c.Has(unsafe.Pointer(small)) || c.Has(unsafe.Pointer(mark)) || c.Has(unsafe.Pointer(chain)) {
			t.Fatalf("after %d", len(made))
		}
	}
}

// All worlds of a system in use have the same constants, however many other systems are built meanwhile. Constants of
// an unused system are dropped.
func TestConstantsOfSystemsInUse(t *testing.T) {
	of := func(n int) *Constants {
		c, err := ConstantsOf([]any{n}, false)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	mine := of(0)
	for n := range 3 * mostSnapshots {
		of(1 + n)
	}
	if of(0) != mine {
		t.Error("a system has other constants than before")
	}
	runtime.KeepAlive(mine)
	mine = nil
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		runtime.GC()
		snapshots.Lock()
		n := len(snapshots.all)
		snapshots.Unlock()
		switch {
		case n <= 2*mostSnapshots:
			return
		case time.Now().After(deadline):
			t.Fatalf("%d are kept", n)
		}
	}
}

// Names of constants do not depend on the order of a map, which differs from process to process, or are said to vary.
func TestConstants_InMaps(t *testing.T) {
	type config struct {
		members map[int]*[3]int
		last    *[3]int
	}
	for _, entries := range []int{1, 8, 9, 100, 5000} {
		names := func() (names []string) {
			c := config{members: map[int]*[3]int{}}
			for i := range entries {
				c.members[i] = new([3]int)
			}
			c.last = c.members[entries-1]
			found := findConstants([]any{func() config { return c }})
			for i := range entries {
				switch p := unsafe.Pointer(c.members[i]); {
				case !found.Has(p):
					t.Fatalf("%d entries: entry %d is no constant", entries, i)
				case found.Varies(p):
					names = append(names, "varies")
				default:
					names = append(names, string(found.Append(nil, p)))
				}
			}
			return names
		}
		first := names()
		if vary, last := first[0] == "varies", first[entries-1] == "varies"; vary != (entries > 8) || last {
			t.Errorf("%d entries: the name of the first varies: %v, that of memory that is also reachable otherwise: %v", entries, vary, last)
		}
		for range 5 {
			if got := names(); !slices.Equal(got, first) {
				t.Errorf("%d entries: names %q, before %q", entries, got[:1], first[:1])
			}
		}
	}
}
