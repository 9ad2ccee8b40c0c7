// Package stacks parses stacks of goroutines in the format of the Go runtime: those of this process, and those that a
// dying process prints. Functions are compared by names derived from the functions themselves, so that nothing depends
// on their location in the source.
package stacks

import (
	"fmt"
	"path"
	"reflect"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/testsched/program"
)

// Goroutine is the state of a goroutine.
type Goroutine struct {
	ID      uint64  // of the runtime
	Number  int     // in its program, which the caller sets; 0 means that it is not known
	Status  string  // "running", "chan receive"
	Durable bool    // only goroutines of its bubble can end the wait
	Bubble  uint64  // number of its synctest bubble; 0 if it is in none
	Frames  []Frame // innermost first
	Creator Frame   // the go statement; zero for the main goroutine
	Text    string  // text of the runtime
}

// Frame is a call.
type Frame struct {
	Function string // with the path of its package, without arguments
	Place    string // file:line
}

// Package returns the path of the function's package.
func (f Frame) Package() string {
	dir, name := path.Split(f.Function)
	name, _, _ = strings.Cut(name, ".")
	return dir + name
}

// Position returns the file and the line of the call.
func (f Frame) Position() (file string, line int) {
	end := strings.LastIndexByte(f.Place, ':')
	line, _ = strconv.Atoi(f.Place[end+1:])
	return f.Place[:max(0, end)], line
}

// Standard reports whether the function belongs to the Go distribution.
func (f Frame) Standard() bool {
	file, _ := f.Position()
	return program.Standard(runtime.Frame{Function: f.Function, File: file})
}

// Waits reports whether the goroutine is blocked until another one acts.
func (g *Goroutine) Waits() bool {
	for _, status := range []string{"chan ", "select", "sync.", "semacquire"} {
		if strings.HasPrefix(g.Status, status) {
			return true
		}
	}
	return false
}

// Calls reports whether the named function is being called, see [Name].
func (g *Goroutine) Calls(function string) bool {
	for i := range g.Frames {
		if g.Frames[i].Function == function {
			return true
		}
	}
	return false
}

// Running returns all goroutines of this process within the first 1 MB of the runtime's text. It stops the world
// meanwhile.
func Running() []Goroutine {
	buf := make([]byte, 1<<20)
	return Read(string(buf[:runtime.Stack(buf, true)]))
}

// RunningAtLines returns [Running] with the lines of loops. The compiler assigns line 1 to instructions without a source
// position, such as the jump at the end of a loop. They get the line of [program.LineOf].
func RunningAtLines() []Goroutine {
	buf := make([]byte, 1<<20)
	return Read(atFirstLine.ReplaceAllStringFunc(string(buf[:runtime.Stack(buf, true)]), func(text string) string {
		part := atFirstLine.FindStringSubmatch(text)
		offset, _ := strconv.ParseUint(part[3], 0, 32)
		f := function(part[2])
		if f == nil {
			return text
		}
		line := program.LineOf(runtime.Frame{Func: f, Entry: f.Entry(), PC: f.Entry() + uintptr(offset), Line: 1})
		return fmt.Sprintf("%s%d +%s", part[1], line, part[3])
	}))
}

// atFirstLine matches a frame at line 1: the text before the number, with the function, and the offset in the function.
var atFirstLine = regexp.MustCompile(`(?m)^((\S+)\(.*\)\n\t.+:)1 \+(0x[0-9a-f]+)$`)

// function returns the function with that name in the stacks of all goroutines, and nil if there is none.
func function(name string) *runtime.Func {
	records := make([]runtime.StackRecord, runtime.NumGoroutine()+10)
	n, _ := runtime.GoroutineProfile(records)
	for i := range min(n, len(records)) {
		frames := runtime.CallersFrames(records[i].Stack())
		for f, more := frames.Next(); ; f, more = frames.Next() {
			if f.Function == name && f.Func != nil {
				return f.Func
			}
			if !more {
				break
			}
		}
	}
	return nil
}

// Read returns the goroutines in a text. It skips other lines.
func Read(text string) (all []Goroutine) {
	for block := range strings.SplitSeq(text, "\n\n") {
		if begin := strings.Index("\n"+block, "\ngoroutine "); begin >= 0 {
			all = append(all, read(block[begin:]))
		}
	}
	return all
}

func read(block string) Goroutine {
	g := Goroutine{Text: block}
	head, rest, _ := strings.Cut(block, "\n")
	before, head, _ := strings.Cut(head, "[")
	if fields := strings.Fields(before); len(fields) > 1 {
		g.ID, _ = strconv.ParseUint(fields[1], 10, 64)
	}
	head, _, _ = strings.Cut(head, "]")
	for i, part := range strings.Split(head, ", ") {
		if i == 0 {
			g.Status, g.Durable = strings.CutSuffix(part, " (durable)")
		} else if number, ok := strings.CutPrefix(part, "synctest bubble "); ok {
			g.Bubble, _ = strconv.ParseUint(number, 10, 64)
		}
	}
	lines := strings.Split(rest, "\n")
	for i, function := range lines[:len(lines)-1] {
		place, ok := strings.CutPrefix(lines[i+1], "\t")
		if !ok || strings.HasPrefix(function, "\t") {
			continue
		}
		if m := filePlace.FindStringSubmatch(place); m != nil {
			place = m[1]
		}
		if creator, ok := strings.CutPrefix(function, "created by "); ok {
			creator, _, _ = strings.Cut(creator, " in goroutine ")
			g.Creator = Frame{creator, place}
			break
		}
		if at := strings.LastIndexByte(function, '('); at > 0 {
			function = function[:at]
		}
		g.Frames = append(g.Frames, Frame{function, place})
	}
	return g
}

// filePlace matches a file and line, which an offset may follow.
var filePlace = regexp.MustCompile(`^(.*:[0-9]+)(?: .*)?$`)

// raisedAgain matches the first lines of a process that ends with a panic that a deferred function raised after it had
// recovered another one.
var raisedAgain = regexp.MustCompile(`(?m)^panic: .* \[recovered\]\n(?:\tpanic: .* \[recovered\]\n)*\tpanic: (.*)$`)

// RaisedAgain returns the value of the panic that ended a process, if a deferred function raised it after it had recovered
// another one. said is the output of the process.
func RaisedAgain(said string) (value string, ok bool) {
	m := raisedAgain.FindStringSubmatch(said)
	if m == nil {
		return "", false
	}
	return m[1], true
}

// Name returns the name of a function as shown in stacks.
func Name(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }

// Methods returns the common prefix of the methods of a type in stacks, with a pointer receiver.
func Methods[T any]() string {
	t := reflect.TypeFor[T]()
	return t.PkgPath() + ".(*" + t.Name() + ")."
}

// Dir returns the folder of a function's source, as stacks name it.
func Dir(f any) string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).FileLine(0)
	return path.Dir(file)
}
