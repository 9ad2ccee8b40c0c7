package program

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// raceLog is the log file of the race detector in this process, which GORACE determines, and the offset up to which it was read.
var raceLog = struct {
	path   string
	offset int64
}{path: logPath(os.Getenv("GORACE"))}

// logPath returns the log file for options of the race detector.
func logPath(options string) (file string) {
	for option := range strings.FieldsSeq(options) {
		if path, ok := strings.CutPrefix(option, "log_path="); ok {
			file = fmt.Sprintf("%s.%d", path, os.Getpid())
		}
	}
	return file
}

// Access is a memory access of a data race.
type Access struct {
	What   string   // in the words of the race detector: "Write", "Previous read"
	In     string   // the function of the distribution that user code calls, such as WaitGroup.Add; empty means that it accesses the memory itself
	At     string   // the innermost position of user code
	Source string   // the function and text of that line, which stay the same when lines are inserted before it
	From   []string // the calls that lead there, innermost first
}

// Lines describes the access, a line for each position of the user's code.
func (a Access) Lines() []string {
	text := strings.ToLower(a.What)
	if a.In != "" {
		text += " in " + a.In
	}
	lines := []string{text + " at " + a.At}
	for _, at := range a.From {
		lines = append(lines, "  called at "+at)
	}
	return lines
}

// Accesses returns the memory accesses in the output of the race detector, two for each race. name returns the name to show for a function.
func Accesses(text string, name func(string) string) (all []Access) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		head := strings.TrimSpace(line)
		if strings.HasPrefix(head, "Read at") || strings.HasPrefix(head, "Write at") || strings.HasPrefix(head, "Previous ") {
			what, _, _ := strings.Cut(head, " at 0x")
			all = append(all, access(what, raceStack(lines[i+1:], name)))
		}
	}
	return all
}

// raceStack returns the frames in lines of the race detector, which an empty line terminates.
func raceStack(lines []string, name func(string) string) (frames []runtime.Frame) {
	for i := 0; i+1 < len(lines) && strings.TrimSpace(lines[i]) != ""; i += 2 {
		at, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +")
		file, line, _ := strings.Cut(at, ":")
		number, _ := strconv.Atoi(line)
		frames = append(frames, runtime.Frame{Function: name(strings.TrimSuffix(strings.TrimSpace(lines[i]), "()")), File: file, Line: number})
	}
	return frames
}

// mostCallers is the maximum number of calls that Access.From lists.
const mostCallers = 4

// access describes an access with a stack, innermost frame first. Without user code, its position is the innermost one.
func access(what string, frames []runtime.Frame) Access {
	a := Access{What: what}
	if len(frames) == 0 {
		return a
	}
	place := func(f runtime.Frame) string {
		return fmt.Sprintf("%s:%d in %s", filepath.Base(f.File), f.Line, f.Function[strings.LastIndexByte(f.Function, '/')+1:])
	}
	at := slices.IndexFunc(frames, func(f runtime.Frame) bool { return !Standard(f) })
	if at > 0 {
		a.In = calledName(frames[at-1].Function)
	}
	at = max(at, 0)
	for _, f := range frames[at+1:] {
		if !Standard(f) && len(a.From) < mostCallers {
			a.From = append(a.From, place(f))
		}
	}
	a.At, a.Source = place(frames[at]), frames[at].Function+" "+DescribeLine(frames[at].File, frames[at].Line)
	return a
}

// calledName returns the name to show for a function of the distribution: "WaitGroup.Add" for sync.(*WaitGroup).Add. It is empty for
// operations of the language.
func calledName(function string) string {
	if pkg := PackageOf(function); pkg == "runtime" || strings.HasPrefix(pkg, "internal/") && pkg != "internal/sync" {
		return ""
	}
	if from, to := strings.IndexByte(function, '['), strings.LastIndexByte(function, ']'); from >= 0 && to > from { // type arguments
		function = function[:from] + function[to+1:]
	}
	function = strings.NewReplacer("(*", "", ")", "", ".macemc", ".").Replace(function[strings.LastIndexByte(function, '/')+1:])
	return strings.TrimPrefix(function, "sync.")
}

// RaceText returns the output of the race detector since the last call.
func RaceText() string {
	f, err := os.Open(raceLog.path)
	if err != nil {
		return ""
	}
	defer f.Close()
	size, err := f.Seek(0, 2)
	if err != nil || size == raceLog.offset {
		return ""
	}
	text := make([]byte, min(size-raceLog.offset, 1<<20))
	n, _ := f.ReadAt(text, raceLog.offset)
	raceLog.offset = size
	return string(text[:n])
}
