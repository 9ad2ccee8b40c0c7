package testsched

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/testsched/program"
)

// raceLog is the log file of the race detector in this process, which GORACE determines, and the offset up to which it was read.
var raceLog struct {
	path   string
	offset int64
}

// SetRace adds the data races that were reported since its last call to what the outcome shows, and describes the first of them.
func (o *Outcome) SetRace() (message, where string, details []string) {
	text := RaceText()
	var at, accesses []string
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		head := strings.TrimSpace(line)
		if !strings.HasPrefix(head, "Read at") && !strings.HasPrefix(head, "Write at") && !strings.HasPrefix(head, "Previous ") {
			continue
		}
		what, _, _ := strings.Cut(head, " at 0x")
		place, source := position(lines[i+1:])
		if len(at) < 2 {
			at = append(at, place)
			details = append(details, strings.ToLower(what)+" at "+place)
		}
		accesses = append(accesses, strings.TrimPrefix(strings.ToLower(what), "previous ")+" at "+source)
	}
	for pair := range slices.Chunk(accesses, 2) { // the order of the two accesses varies
		slices.Sort(pair)
		if text := "data race: " + strings.Join(pair, ", "); !slices.Contains(o.Shows, text) { // a loop repeats a race any number of times
			o.Shows = append(o.Shows, text)
		}
	}
	return "two goroutines access the same memory without synchronization", strings.Join(at, " "), details
}

// position returns the innermost position of user code in the lines of a stack, which an empty line terminates, and the same as in
// Stack.place.
func position(lines []string) (first, source string) {
	for i := 0; i+1 < len(lines) && strings.TrimSpace(lines[i]) != ""; i += 2 {
		at, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +")
		fn := inPackage(strings.TrimSuffix(strings.TrimSpace(lines[i]), "()"))
		text := filepath.Base(at) + " in " + fn[strings.LastIndexByte(fn, '/')+1:]
		file, line, _ := strings.Cut(at, ":")
		number, _ := strconv.Atoi(line)
		user := !program.Standard(runtime.Frame{File: file, Function: fn})
		if user || first == "" {
			first, source = text, fn+" "+program.DescribeLine(file, number)
		}
		if user {
			break
		}
	}
	return first, source
}

// RaceText returns the output of the race detector since the last call.
func RaceText() string {
	if raceLog.path == "" {
		for option := range strings.FieldsSeq(os.Getenv("GORACE")) {
			if path, ok := strings.CutPrefix(option, "log_path="); ok {
				raceLog.path = fmt.Sprintf("%s.%d", path, os.Getpid())
			}
		}
	}
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
