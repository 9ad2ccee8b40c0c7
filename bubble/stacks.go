package bubble

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/stacks"
)

// show describes the history by the state of the goroutines. Other descriptions would differ after every step.
func (p *history) show() string {
	stepping.Lock()
	defer stepping.Unlock()
	if p.last == nil {
		return "not booted"
	}
	if p.last.shown == "" {
		if p.outlined {
			return "not looked at"
		}
		if p.run == nil || p.run.at != p.last {
			return "not running"
		}
		p.last.shown = p.run.n.goroutines()
	}
	return p.last.shown
}

// goroutines describes the goroutines of the program: how many wait, for what, and at which place outside the standard library.
// [simext.BetweenGoroutines] separates the groups.
func (n *node) goroutines() string { return describe(n.ownGoroutines()) }

// ownGoroutines returns the goroutines of the program.
func (n *node) ownGoroutines() (own []stacks.Goroutine) {
	buf := make([]byte, 64<<10)
	for {
		if used := runtime.Stack(buf, true); used < len(buf) {
			buf = buf[:used]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	host := stacks.Name(simext.HostProgram)
	for _, g := range stacks.Read(string(buf)) {
		if g.Bubble == n.bubble && !g.Calls(host) {
			own = append(own, g)
		}
	}
	return own
}

func describe(own []stacks.Goroutine) string {
	count := map[string]int{}
	for _, g := range own {
		count[g.Status+" "+where(g.Frames)]++
	}
	var texts []string
	for text, k := range count {
		if k > 1 {
			text = fmt.Sprintf("%d x %s", k, text)
		}
		texts = append(texts, text)
	}
	slices.Sort(texts)
	if len(texts) == 0 {
		return "no goroutines"
	}
	return strings.Join(texts, simext.BetweenGoroutines)
}

// standard returns the folder of the standard library's source as it appears in stacks.
func standard() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(strings.Cut).Pointer()).FileLine(0)
	return strings.TrimSuffix(file, "strings/strings.go")
}

// ownFrames returns the frames outside the Go distribution and this package.
func ownFrames(frames []stacks.Frame) (own []runtime.Frame) {
	root, this := standard(), reflect.TypeFor[node]().PkgPath()
	for _, f := range frames {
		if strings.HasPrefix(f.Place, root) || strings.Contains(f.Place, "macemc/overlay/") || f.Package() == this && !strings.Contains(f.Place, "_test.go:") {
			continue
		}
		file, line, _ := strings.Cut(f.Place, ":")
		n, _ := strconv.Atoi(line)
		own = append(own, runtime.Frame{Function: f.Function, File: file, Line: n})
	}
	return own
}

// where describes the innermost frame of the program, as in "at pool.go:12 in (*pool).take".
func where(frames []stacks.Frame) string {
	own := ownFrames(frames)
	if len(own) == 0 {
		return "in the standard library"
	}
	f := own[0]
	name := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
	if _, function, ok := strings.Cut(name, "."); ok {
		name = function
	}
	return fmt.Sprintf("at %s:%d in %s", filepath.Base(f.File), f.Line, name)
}
