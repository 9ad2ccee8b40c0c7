package program

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
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
	What   string // as the race detector says: "Write", "Previous read"
	At     string // the innermost position of user code
	Source string // the function and text of that line, which stay the same when lines are inserted before it
}

// Accesses returns the memory accesses in the output of the race detector, two for each race. name returns the name to show for a function.
func Accesses(text string, name func(string) string) (all []Access) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		head := strings.TrimSpace(line)
		if strings.HasPrefix(head, "Read at") || strings.HasPrefix(head, "Write at") || strings.HasPrefix(head, "Previous ") {
			what, _, _ := strings.Cut(head, " at 0x")
			at, source := position(lines[i+1:], name)
			all = append(all, Access{what, at, source})
		}
	}
	return all
}

// position returns At and Source of [Access] for the lines of a stack, which an empty line terminates.
func position(lines []string, name func(string) string) (first, source string) {
	for i := 0; i+1 < len(lines) && strings.TrimSpace(lines[i]) != ""; i += 2 {
		at, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +")
		fn := name(strings.TrimSuffix(strings.TrimSpace(lines[i]), "()"))
		text := filepath.Base(at) + " in " + fn[strings.LastIndexByte(fn, '/')+1:]
		file, line, _ := strings.Cut(at, ":")
		number, _ := strconv.Atoi(line)
		user := !Standard(runtime.Frame{File: file, Function: fn})
		if user || first == "" {
			first, source = text, fn+" "+DescribeLine(file, number)
		}
		if user {
			break
		}
	}
	return first, source
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
