package testsched

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"sort"
	"strings"
)

// Stack is the frames of a goroutine, innermost first.
type Stack []runtime.Frame

// Frames returns the stack of program counters.
func Frames(pcs []uintptr) (s Stack) {
	if len(pcs) == 0 {
		return nil
	}
	frames := runtime.CallersFrames(pcs)
	for {
		f, more := frames.Next()
		if f.PC != 0 || f.Function != "" {
			f.Line = lineOf(f)
			s = append(s, f)
		}
		if !more {
			return s
		}
	}
}

// lineOf returns the line of a frame. The compiler assigns line 1 to instructions without a source position, such as the jump at the end of
// a loop. For these, lineOf returns the line of the nearest preceding instruction that has one.
func lineOf(f runtime.Frame) int {
	if f.Func == nil || f.Line != 1 {
		return f.Line
	}
	for pc := f.PC; pc > f.Entry; {
		pc--
		if _, line := f.Func.FileLine(pc); line > 1 {
			return line
		}
	}
	return f.Line
}

// root is the folder of the standard library's source as it appears in stacks.
var root = func() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(strings.Cut).Pointer()).FileLine(0)
	return strings.TrimSuffix(file, "strings/strings.go")
}()

// standard reports whether a frame belongs to the Go distribution.
func standard(f runtime.Frame) bool {
	if root != "" && strings.HasPrefix(f.File, root) || strings.Contains(f.File, "/macemc/overlay/") || f.File == "" {
		return true
	}
	if root != "" {
		return false
	}
	first, _, _ := strings.Cut(f.Function, "/")
	return !strings.Contains(f.Function, "/") || !strings.Contains(first, ".")
}

// user returns the innermost frame outside the Go distribution.
func (s Stack) user() (f runtime.Frame, ok bool) {
	for _, f := range s {
		if !standard(f) {
			return f, true
		}
	}
	return f, false
}

// Testing reports whether package testing executes the operation itself, without a function of the user in between.
func (s Stack) Testing() bool {
	for _, f := range s {
		if strings.HasPrefix(f.Function, "testing.") {
			return true
		}
		if !standard(f) {
			return false
		}
	}
	return false
}

// Where returns the position of the innermost frame of the user's code.
func (s Stack) Where() string {
	if f, ok := s.user(); ok {
		return fmt.Sprintf("%s:%d", filepath.Base(f.File), f.Line)
	}
	return "the standard library" + s.outermost()
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
func (s Stack) Func() string {
	f, _ := s.user()
	name := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
	if _, rest, ok := strings.Cut(name, "."); ok {
		name = rest
	}
	return name
}

// Lines describes the innermost frames of the user's code, at most five.
func (s Stack) Lines() (lines []string) {
	for _, f := range s {
		if !standard(f) && len(lines) < 5 {
			one := Stack{f}
			lines = append(lines, fmt.Sprintf("%s  %s", one.Where(), one.Func()))
		}
	}
	return lines
}

// Goroutine is a waiting goroutine.
type Goroutine struct {
	Number  int // by age, starting at 1, which executes the test function
	Waits   string
	At      string
	Func    string
	Started string  // position of the go statement
	Holder  int     // holder of the lock that it waits for; 0 means unknown
	Lost    bool    // nothing can wake it
	Go      uintptr // program counter of the go statement
}

// waits maps wait reasons of the runtime to texts.
var waits = map[string]string{
	"chan receive": "waits to receive from a channel", "chan send": "waits to send to a channel",
	"chan receive (nil chan)": "waits to receive from a nil channel", "chan send (nil chan)": "waits to send to a nil channel",
	"select": "waits in select", "select (no cases)": "waits in a select without cases",
	"sync.Mutex.Lock": "waits to lock a Mutex", "sync.RWMutex.RLock": "waits to read-lock a RWMutex", "sync.RWMutex.Lock": "waits to lock a RWMutex",
	"sync.WaitGroup.Wait": "waits for a WaitGroup", "sync.Cond.Wait": "waits for a Cond", "sleep": "sleeps", "running": "runs", "semacquire": "waits for a semaphore",
}

// describeWait describes a wait reason of the runtime.
func describeWait(why string) string {
	why, _, _ = strings.Cut(why, " (durable)")
	why = strings.TrimSuffix(why, " (synctest)")
	if text, ok := waits[why]; ok {
		return text
	}
	return why
}

func (g Goroutine) String() string {
	text := fmt.Sprintf("goroutine %d %s at %s", g.Number, describeWait(g.Waits), g.At)
	if g.Func != "" {
		text += " in " + g.Func
	}
	if g.Holder != 0 {
		text += fmt.Sprintf(", held by goroutine %d", g.Holder)
	}
	if g.Started != "" && !strings.HasPrefix(g.Started, "the standard library") {
		text += ", started at " + g.Started
	}
	return text
}

// rank orders goroutines in reports: first those that hold or wait for a lock that another goroutine needs, then those in user code.
func (g Goroutine) rank(all []Goroutine) int {
	holds := func(h Goroutine) bool { return h.Holder == g.Number }
	switch {
	case g.Holder != 0 || slices.ContainsFunc(all, holds):
		return 0
	case g.Func != "":
		return 1
	}
	return 2
}

// maxLines is the maximum number of goroutines that a report lists.
const maxLines = 8

// Blocked describes goroutines that nothing can wake. left means that the test has returned.
func Blocked(all []Goroutine, left bool) (message, where string, details []string) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, func(a, b Goroutine) int { return a.rank(all) - b.rank(all) })
	var places []string
	for i, g := range all {
		places = append(places, g.At)
		if i < maxLines {
			details = append(details, g.String())
		}
	}
	if more := len(all) - maxLines; more > 0 {
		details = append(details, fmt.Sprintf("and %d more", more))
	}
	sort.Strings(places)
	message = plural(len(all), "goroutine is blocked and nothing can wake it", "goroutines are blocked and nothing can wake them")
	if left {
		message += ", after the test has returned"
	}
	return message, strings.Join(places, " "), details
}

// Stuck describes the goroutines of a run that does not terminate.
func Stuck(all []Goroutine) (message, where string, details []string) {
	_, where, details = Blocked(all, false)
	return "the test does not terminate", where, details
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// OneLine returns the first line of a text.
func OneLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// Logs returns the first lines that a failed test and its subtests have logged, except the line that ends the title.
func Logs(output, title string) (lines []string) {
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && line != title && !strings.HasSuffix(title, ": "+line) && !strings.HasPrefix(line, "--- FAIL: ") && len(lines) < maxLines {
			lines = append(lines, line)
		}
	}
	return lines
}

// Entry returns the first line of a test's last log entry. If that line is only a position, as with package testify, Entry appends a later
// line: the one that begins with "Error:" if there is one.
func Entry(output string) string {
	rest := ""
	for _, line := range slices.Backward(strings.Split(output, "\n")) {
		text := strings.TrimSpace(line)
		switch {
		case text == "":
		case !strings.HasPrefix(line, "     ") && strings.HasSuffix(text, ":"):
			return strings.TrimSpace(text + " " + rest)
		case !strings.HasPrefix(line, "     "):
			return text
		case !strings.HasPrefix(rest, "Error:") || strings.HasPrefix(text, "Error:"):
			rest = strings.Join(strings.Fields(text), " ")
		}
	}
	return rest
}

// Table returns a hash table of switches in the layout that the runtime expects. It reuses the memory of old if possible.
func Table(old, list []Switch) []Switch {
	size := 16
	for size < 2*len(list)+2 {
		size *= 2
	}
	if cap(old) >= size {
		old = old[:size]
		clear(old)
	} else {
		old = make([]Switch, size)
	}
	for _, s := range list {
		i := mix(s.Who^s.Place<<24) & uint64(size-1)
		for old[i].Who != 0 {
			i = (i + 1) & uint64(size-1)
		}
		old[i] = s
	}
	return old
}
