package gotest

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/macemc/macemc/internal/explorer/summary"
	"github.com/macemc/macemc/internal/testsched"
)

// cachedSummaries stores the summaries of the results that the go command caches, by the keys of its test cache. A key
// covers the test binary, its flags, and the variables and files that the test has read. The go command prints the keys
// to its standard error, see "go help cache", and cachedSummaries removes them there.
type cachedSummaries struct {
	store string    // folder with one file per key
	out   io.Writer // standard error without the keys
	rest  []byte    // incomplete line

	mu     sync.Mutex
	looked map[string]string   // by package: key of the result that was looked up last
	saved  map[string][]string // by package: keys of the result of this run
	silent bool                // the go command prints no keys
}

const (
	keyPrefix = "testcache: "
	keyArrow  = " => "
	savePart  = "save test ID "
)

// Write receives the standard error of the go command.
func (c *cachedSummaries) Write(p []byte) (int, error) {
	c.rest = append(c.rest, p...)
	for {
		end := bytes.IndexByte(c.rest, '\n') + 1
		if end == 0 && bytes.HasPrefix(c.rest, []byte(keyPrefix)[:min(len(c.rest), len(keyPrefix))]) {
			return len(p), nil // perhaps the beginning of a key
		}
		if end == 0 {
			end = len(c.rest)
		}
		line := c.rest[:end]
		if text, ok := strings.CutPrefix(string(line), keyPrefix); ok {
			c.note(strings.TrimSpace(text))
		} else if _, err := c.out.Write(line); err != nil {
			return len(p), err
		}
		c.rest = c.rest[end:]
	}
}

// note records a key from a line such as "PACKAGE: test ID X => input ID Y => KEY". Other lines have no key.
func (c *cachedSummaries) note(line string) {
	pkg, line, _ := strings.Cut(line, ": ")
	parts := strings.Split(line, keyArrow)
	if len(parts) != 3 || strings.Trim(parts[2], "0123456789abcdef") != "" { // it becomes the name of a file
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if strings.HasPrefix(line, savePart) {
		c.saved[pkg] = append(c.saved[pkg], parts[2])
	} else {
		c.looked[pkg] = parts[2]
	}
}

// keyWait limits how long the command waits for a key. The go command prints it before the line of the package, but to
// another stream.
const keyWait = time.Second

// file returns the summary of a package's cached result. An empty string means that it is unknown.
func (c *cachedSummaries) file(pkg string) string {
	for began := time.Now(); c != nil; time.Sleep(keyWait / 1000) {
		c.mu.Lock()
		key, silent := c.looked[pkg], c.silent
		c.silent = silent || key == "" && time.Since(began) > keyWait
		c.mu.Unlock()
		if key != "" {
			return filepath.Join(c.store, key)
		}
		if silent {
			break
		}
	}
	return ""
}

// save stores the summaries that a run has written to a folder. own is the package of file arguments.
func (c *cachedSummaries) save(folder, own string) {
	c.out.Write(c.rest)
	for pkg, keys := range c.saved {
		if pkg == testsched.FileArguments {
			pkg = own
		}
		text, err := os.ReadFile(summary.File(folder, pkg))
		if err != nil {
			continue // the package has no explored test
		}
		for _, key := range keys {
			temp := filepath.Join(folder, key)
			if os.WriteFile(temp, text, 0o666) == nil {
				os.Rename(temp, filepath.Join(c.store, key))
			}
		}
	}
	c.trim()
}

// keyAge is the time after which unused summaries are removed. The go command removes unused results after five days.
const keyAge = 10 * 24 * time.Hour

// trim removes unused summaries, and folders that killed runs left.
func (c *cachedSummaries) trim() {
	files, _ := os.ReadDir(c.store)
	for _, f := range files {
		if info, err := f.Info(); err == nil && time.Since(info.ModTime()) > keyAge {
			os.RemoveAll(filepath.Join(c.store, f.Name()))
		}
	}
}
