package summary

import (
	"encoding/hex"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Other files of a folder.
const begun, announcements = "begun", "announcements"

// File returns the file of a package's summary in a folder.
func File(dir, pkg string) string { return filepath.Join(dir, hex.EncodeToString([]byte(pkg))) }

// Package returns the package whose summary is in a file of that name, or an empty string.
func Package(name string) string {
	pkg, err := hex.DecodeString(name)
	if err != nil {
		return ""
	}
	return string(pkg)
}

// Read reads the file of a package, in the order of the names of its tests. It leaves out lines that are incomplete because they are being
// written.
func Read(file string) (list []*Test) {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		t := new(Test)
		if json.Unmarshal([]byte(line), t) == nil {
			list = append(list, t)
		}
	}
	return list
}

// room is the least room for more text in a file that was written before the disk was full.
const room = 4096

// Write writes the tests of a package over the old file. The file has room for a finding and is not truncated, so that a finding can be
// added after the disk is full.
func Write(dir, pkg string, tests map[string]*Test) {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(tests)) {
		line, _ := json.Marshal(tests[name])
		b.Write(append(line, '\n'))
	}
	f, err := os.OpenFile(File(dir, pkg), os.O_WRONLY|os.O_CREATE, 0o666)
	if err != nil {
		return
	}
	defer f.Close()
	const unit = 4 * room
	size := (b.Len() + room + unit - 1) / unit * unit
	if info, err := f.Stat(); err == nil {
		size = max(size, int(info.Size()))
	}
	b.WriteString(strings.Repeat(" ", size-b.Len()-1) + "\n")
	f.WriteString(b.String())
}

// Begin records that a test binary has started.
func Begin(dir string) { os.WriteFile(filepath.Join(dir, begun), nil, 0o666) }

// Begun reports whether a test binary has started.
func Begun(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, begun))
	return err == nil
}

// Announce adds a line for immediate display. The go command withholds the output of tests until their package ends.
func Announce(dir, line string) {
	if f, err := os.OpenFile(filepath.Join(dir, announcements), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err == nil {
		f.WriteString(line + "\n")
		f.Close()
	}
}

// Announced returns the lines for immediate display.
func Announced(dir string) []byte {
	text, _ := os.ReadFile(filepath.Join(dir, announcements))
	return text
}
