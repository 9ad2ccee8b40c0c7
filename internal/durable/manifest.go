package durable

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/infile"
	"github.com/macemc/macemc/sim"
)

// format is the version of the folder format. It grows when older programs cannot read it.
const format = 1

// Manifest describes the search of a log.
type Manifest struct {
	Format     int               `json:"format"`
	System     string            `json:"system"`
	Package    string            `json:"package,omitempty"`
	Test       string            `json:"test,omitempty"`
	Nodes      int               `json:"nodes"`
	Params     map[string]string `json:"params"`
	Limits     sim.Limits        `json:"limits"`
	Timing     string            `json:"timing"`
	Interleave string            `json:"interleave"`
	CrashCut   string            `json:"crash_cut"`
	Weights    string            `json:"weights"` // of events in random walks; events without weight do not belong to recovery
	Visited    string            `json:"visited"`
	Monitors   []string          `json:"monitors"`
	Properties []string          `json:"properties"`
	Walks      map[string]string `json:"walks,omitempty"` // for a search by runs: the options that it must have when it continues
	Builds     []Build           `json:"builds"`          // programs that wrote the log, in order
}

// Build is a program that wrote a log. Another one may continue if it behaves the same.
type Build struct {
	Program string    `json:"program"`
	Binary  string    `json:"binary"` // SHA-256
	Bugs    []string  `json:"bugs,omitempty"`
	Began   time.Time `json:"began"`
	Instant uint64    `json:"instant,omitempty"` // at which clocks of programs began, in nanoseconds since 1970; 0 means unknown
}

// Same reports whether both builds are the same code.
func (b *Build) Same(other *Build) bool {
	return b.Binary == other.Binary && slices.Equal(b.Bugs, other.Bugs)
}

// binary returns the SHA-256 of this program, or "" if it cannot be read.
func binary() string {
	exe, err := os.Executable()
	if err != nil {
		return ""
	}
	f, err := os.Open(exe)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Settings returns the named settings that two manifests must have in common.
func (m *Manifest) Settings() [][2]string {
	list := func(l []string) string { return strings.Join(l, "; ") }
	s := [][2]string{{"system", strings.TrimSpace(m.Package + " " + m.Test + " " + m.System)}, {"nodes", fmt.Sprint(m.Nodes)}}
	for f := range sim.FaultCount {
		s = append(s, [2]string{f.String(), fmt.Sprint(m.Limits[f])})
	}
	s = append(s, [][2]string{
		{"timing", m.Timing}, {"interleave", m.Interleave}, {"crash-cut", m.CrashCut}, {"weights", m.Weights}, {"visited", m.Visited},
		{"monitors", list(m.Monitors)}, {"properties", list(m.Properties)},
	}...)
	for _, k := range slices.Sorted(maps.Keys(m.Params)) {
		s = append(s, [2]string{"parameter " + k, m.Params[k]})
	}
	for _, flag := range slices.Sorted(maps.Keys(m.Walks)) {
		s = append(s, [2]string{flag, m.Walks[flag]})
	}
	return s
}

// differences describes the differences from another configuration.
func (m *Manifest) differences(other *Manifest) (differ []string) {
	here := map[string]string{}
	for _, s := range other.Settings() {
		here[s[0]] = s[1]
	}
	for _, s := range m.Settings() {
		if now := here[s[0]]; now != s[1] {
			differ = append(differ, fmt.Sprintf("%s: %s there, %s here", s[0], cmp.Or(s[1], "none"), cmp.Or(now, "none")))
		}
		delete(here, s[0])
	}
	for _, k := range slices.Sorted(maps.Keys(here)) {
		differ = append(differ, fmt.Sprintf("%s: none there, %s here", k, cmp.Or(here[k], "none")))
	}
	return differ
}

// Load reads the manifest of a folder. The error is an [os.ErrNotExist] if there is none.
func Load(dir string) (*Manifest, error) {
	name := filepath.Join(dir, manifestFile)
	data, err := infile.Read(name)
	if err != nil {
		return nil, err
	}
	m := Manifest{CrashCut: sim.CutPrefix.String()} // default for manifests without it
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	switch err := d.Decode(&m); {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", name, err)
	case m.Format != format:
		return nil, fmt.Errorf("%s is of format %d, this program reads %d", name, m.Format, format)
	case len(m.Builds) == 0:
		return nil, fmt.Errorf("%s does not name the program that wrote the log", name)
	}
	return &m, nil
}

// write writes a manifest atomically.
func (m *Manifest) write(dir string) error {
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(dir, manifestFile, append(data, '\n'))
}

// writeWhole writes a file atomically.
func writeWhole(dir, file string, data []byte) error {
	name := filepath.Join(dir, file)
	f, err := os.Create(name + ".new")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(name+".new", name); err != nil {
		return err
	}
	if d, err := os.Open(dir); err == nil { // sync the folder, if possible, so that the name survives a power failure
		_ = d.Sync()
		_ = d.Close()
	}
	return nil
}
