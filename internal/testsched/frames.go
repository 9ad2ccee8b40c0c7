package testsched

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unsafe"

	"github.com/macemc/macemc/internal/testsched/program"
)

type Frame = runtime.Frame

// Stack is the frames of a goroutine, innermost first.
type Stack []Frame

// stacks caches the results of Frames, by the bytes of the program counters. stackTexts caches texts that methods of Stack return. Most
// goroutines and operations of a test have one of a few stacks.
var (
	stacks     = map[string]Stack{}
	stackTexts = map[textKey]string{}
)

// maxCached is the maximum number of entries of each cache.
const maxCached = 1 << 13

type textKey struct {
	first *Frame
	n     int
	what  int // textWhere and so on, or textObject or textCall plus an operation
}

const (
	textWhere = iota
	textFunc
	textPlace
	textObject
	textCall = textObject + 1<<8
)

// cached adds an entry to a cache, and returns the value.
func cached[K comparable, V any](cache map[K]V, key K, value V) V {
	if len(cache) == maxCached {
		clear(cache)
	}
	cache[key] = value
	return value
}

// text returns the text that a method computes, from the cache if possible.
func (s Stack) text(what int, compute func(Stack) string) string {
	if len(s) == 0 {
		return compute(s)
	}
	key := textKey{&s[0], len(s), what}
	if text, ok := stackTexts[key]; ok {
		return text
	}
	return cached(stackTexts, key, compute(s))
}

// Frames returns the stack of program counters. The caller must not change it.
func Frames(pcs []uintptr) Stack {
	if len(pcs) == 0 {
		return nil
	}
	key := unsafe.Slice((*byte)(unsafe.Pointer(&pcs[0])), uintptr(len(pcs))*unsafe.Sizeof(pcs[0]))
	if s, ok := stacks[string(key)]; ok {
		return s
	}
	var s Stack
	frames := runtime.CallersFrames(pcs)
	for more := true; more; {
		var f Frame
		f, more = frames.Next()
		if f.PC != 0 || f.Function != "" {
			f.Line, f.Function = program.LineOf(f), InPackage(f.Function)
			s = append(s, f)
		}
	}
	return cached(stacks, string(key), s)
}

// FileArguments is the import path that the go command gives to a package of files among its arguments.
const FileArguments = "command-line-arguments"

// PackagePath is the value of VariablePackage.
var PackagePath = os.Getenv(VariablePackage)

// InPackage returns the name that a function has if the go command is given its package and not files of it.
func InPackage(function string) string {
	if rest, ok := strings.CutPrefix(function, FileArguments); ok && PackagePath != "" {
		return PackagePath + rest
	}
	return function
}

// user returns the innermost frame outside the Go distribution.
func (s Stack) user() (f runtime.Frame, ok bool) {
	if i := s.userAt(); i >= 0 {
		return s[i], true
	}
	return f, false
}

// userAt returns the index of that frame; -1 means none.
func (s Stack) userAt() int {
	return slices.IndexFunc(s, func(f Frame) bool { return !program.Standard(f) })
}

// Testing reports whether package testing executes the operation itself, without a function of the user in between.
func (s Stack) Testing() bool {
	for _, f := range s {
		if program.PackageOf(f.Function) == "testing" {
			return true
		}
		if !program.Standard(f) {
			return false
		}
	}
	return false
}

// Where returns the position of the innermost frame of the user's code.
func (s Stack) Where() string { return s.text(textWhere, Stack.where) }

func (s Stack) where() string {
	if f, ok := s.user(); ok {
		return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
	}
	return standardLibrary + s.outermost()
}

// standardLibrary begins the result of Where for stacks without frames of the user's code.
const standardLibrary = "the standard library"

// Starter returns the function with the go statement that the stack executes. It returns an empty string if that is the user's code, or
// WaitGroup.Go.
func (s Stack) Starter() string {
	for _, f := range s {
		if program.PackageOf(f.Function) == "runtime" || f.Function == "sync.(*WaitGroup).Go" {
			continue
		}
		if program.Standard(f) {
			return f.Function
		}
		break
	}
	return ""
}

// Direct reports whether the user's code executes the operation itself: no function of the distribution is in between but those of
// packages sync and runtime.
func (s Stack) Direct() bool {
	user := s.userAt()
	return user >= 0 && !slices.ContainsFunc(s[:user], func(f Frame) bool {
		return !strings.HasPrefix(f.Function, "sync.") && !strings.HasPrefix(f.Function, "sync/") &&
			!strings.HasPrefix(f.Function, "internal/") && !strings.HasPrefix(f.Function, "runtime.")
	})
}

// File returns the file of the innermost frame of the user's code, or an empty string if there is none.
func (s Stack) File() string {
	f, _ := s.user()
	return f.File
}

// outermost describes the entry function of a goroutine without user code.
func (s Stack) outermost() string {
	for i := len(s) - 1; i >= 0; i-- {
		if name := s[i].Function; name != "" && name != "runtime.goexit" {
			return " (" + name + ")"
		}
	}
	return ""
}

// Func returns the name of the innermost function of the user's code, without its package's path.
func (s Stack) Func() string { return s.text(textFunc, Stack.function) }

func (s Stack) function() string {
	f, _ := s.user()
	name := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
	if _, rest, ok := strings.Cut(name, "."); ok {
		name = rest
	}
	return name
}

// Package returns the import path of that function. An empty string means that there is none.
func (s Stack) Package() string {
	f, _ := s.user()
	return program.PackageOf(f.Function)
}

// Lines describes the innermost frames of the user's code, at most five.
func (s Stack) Lines() (lines []string) {
	for _, f := range s {
		if !program.Standard(f) && len(lines) < 5 {
			one := Stack{f}
			lines = append(lines, fmt.Sprintf("%s  %s", one.Where(), one.Func()))
		}
	}
	return lines
}

// Goroutine is a waiting goroutine.
type Goroutine struct {
	Number    int // by age, starting at 1, which executes the test function
	Waits     string
	Address   uintptr    // Address of the object of its last operation
	Op        program.Op // its last operation
	Object    string     // label of what it waits for; empty means unknown
	At        string
	Func      string
	Started   string  // position of the go statement
	Holder    int     // holder of the lock that it waits for; 0 means unknown
	Writer    int     // goroutine that waits for the write lock and so blocks its read lock, see WaitList; 0 means none
	Unwakable bool    // nothing can wake it
	Go        uintptr // program counter of the go statement, or of the call of WaitGroup.Go
	Stack     Stack
	Creation  Stack // of the go statement; nil means that it executes the test
}

// waits maps wait reasons of the runtime to texts.
var waits = map[string]string{
	"chan receive": "waits to receive from a channel", "chan send": "waits to send to a channel",
	"chan receive (nil chan)": "waits to receive from a nil channel", "chan send (nil chan)": "waits to send to a nil channel",
	"select": "waits in select", "select (no cases)": "waits in a select without cases",
	"sync.Mutex.Lock": "waits to lock a Mutex", "sync.RWMutex.RLock": "waits to read-lock a RWMutex",
	"sync.RWMutex.Lock":   "waits to lock a RWMutex",
	"sync.WaitGroup.Wait": "waits for a WaitGroup", "sync.Cond.Wait": "waits for a Cond", "sleep": "sleeps",
	"synctest.Run": "waits for the bubble of another test",
	"busy":         "is held back by the schedule", "running": "runs",
	"semacquire": "waits for a semaphore", "IO wait": "waits for a file",
}

// waitOps are the operations in which goroutines wait, by wait reason.
var waitOps = map[string]program.Op{
	"chan receive": program.OpReceive, "chan send": program.OpSend, "sync.Mutex.Lock": program.OpLock,
	"sync.RWMutex.RLock": program.OpRLock, "sync.RWMutex.Lock": program.OpLock,
	"sync.WaitGroup.Wait": program.OpWaitGroup, "sync.Cond.Wait": program.OpCond,
}

// reason returns a wait reason of the runtime without its bubble.
func reason(why string) string {
	why, _, _ = strings.Cut(why, " (durable)")
	return strings.TrimSuffix(why, " (synctest)")
}

// describeWait describes a wait reason of the runtime.
func describeWait(why string) string {
	why = reason(why)
	return cmp.Or(waits[why], why)
}

// waitFor describes a wait reason of the runtime with the label of an object.
func waitFor(why, object string) string {
	text := describeWait(why)
	if i := strings.LastIndex(text, " a "); object != "" && i >= 0 {
		return text[:i] + text[i+2:] + " " + object
	}
	return text
}

// Waiting returns the wait reason of a goroutine with a stack. A goroutine that waits for the Mutex of an RWMutex waits for the latter.
func (s Stack) Waiting(why string) string {
	if strings.HasPrefix(why, "sync.Mutex.Lock") && s.Inner() {
		return "sync.RWMutex.Lock"
	}
	return why
}

func (g Goroutine) String() string {
	text := fmt.Sprintf("goroutine %d %s at %s", g.Number, waitFor(g.Stack.Waiting(g.Waits), g.Object), g.At)
	if g.Func != "" {
		text += " in " + g.Func
	}
	if g.Holder != 0 && (g.Holder != g.Number || g.Writer == 0) {
		text += fmt.Sprintf(", held by goroutine %d", g.Holder)
	}
	if g.Writer != 0 {
		text += fmt.Sprintf(", blocked by waiting writer goroutine %d", g.Writer)
	}
	if g.Started != "" && !strings.HasPrefix(g.Started, standardLibrary) {
		text += ", started at " + g.Started
	}
	return text
}

// Blocked describes goroutines that nothing can wake. left means that the test has returned.
func Blocked(all []Goroutine, left bool) (message, where string) {
	var places []string
	for _, g := range all {
		places = append(places, g.At)
	}
	slices.Sort(places)
	message = program.Plural(len(all), "goroutine is blocked and nothing can wake it", "goroutines are blocked and nothing can wake them")
	if left {
		message += ", after the test has returned"
	}
	return message, strings.Join(places, " ")
}

// Cycle reports whether some goroutines wait for locks that they hold among themselves, so that no other one can continue them.
func Cycle(all []Goroutine) bool {
	holders := map[int]int{}
	for i := range all {
		holders[all[i].Number] = all[i].Holder
	}
	for number := range holders {
		at := number
		for range all {
			if at = holders[at]; at == number && at != 0 {
				return true
			}
		}
	}
	return false
}

// Table returns a hash table of switches in the layout that the runtime expects. It reuses the memory of old if possible.
func Table(old, list []Switch) []Switch {
	size := 16
	for size < 2*len(list)+2 {
		size *= 2
	}
	old = slices.Grow(old[:0], size)[:size]
	clear(old)
	for _, s := range list {
		i := Mix(s.Who^s.Place<<24) & uint64(size-1)
		for old[i].Who != 0 {
			i = (i + 1) & uint64(size-1)
		}
		old[i] = s
	}
	return old
}
