package testsched

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// raceLog is the log file of the race detector in this process, which GORACE determines, and the offset up to which it was read.
var raceLog struct {
	path   string
	offset int64
}

// RaceReport describes the data races that were reported since its last call.
func RaceReport() (kind Kind, message, where string, details []string) {
	kind, message = Race, "two goroutines access the same memory without synchronization"
	text := RaceText()
	var at []string
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		head := strings.TrimSpace(line)
		access := strings.HasPrefix(head, "Read at") || strings.HasPrefix(head, "Write at") || strings.HasPrefix(head, "Previous ")
		if !access || len(at) == 2 {
			continue
		}
		what, _, _ := strings.Cut(head, " at 0x")
		place := position(lines[i+1:])
		at = append(at, place)
		details = append(details, strings.ToLower(what)+" at "+place)
	}
	if len(at) == 0 {
		return kind, message, "", nil
	}
	return kind, message, strings.Join(at, " "), details
}

// position returns the innermost position of user code in the lines of a stack, which an empty line terminates.
func position(lines []string) string {
	first := ""
	for i := 0; i+1 < len(lines) && strings.TrimSpace(lines[i]) != ""; i += 2 {
		at, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " +")
		fn := strings.TrimSuffix(strings.TrimSpace(lines[i]), "()")
		text := filepath.Base(at) + " in " + fn[strings.LastIndexByte(fn, '/')+1:]
		if first == "" {
			first = text
		}
		file, _, _ := strings.Cut(at, ":")
		if !standard(runtime.Frame{File: file, Function: fn}) {
			return text
		}
	}
	return first
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
