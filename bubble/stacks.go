package bubble

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/stacks"
)

// show describes the history by the state of the goroutines. Other descriptions would differ after every step.
func (p *past) show() string {
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
func (n *node) goroutines() string {
	buf := make([]byte, 64<<10)
	for {
		if used := runtime.Stack(buf, true); used < len(buf) {
			buf = buf[:used]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	count, host := map[string]int{}, stacks.Name(simext.HostProgram)
	for _, g := range stacks.Read(string(buf)) {
		if g.Bubble == n.bubble && !g.Calls(host) {
			count[g.Status+" "+where(g.Frames)]++
		}
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

// where describes the innermost frame outside the Go distribution and this package, as in "at pool.go:12 in (*pool).take".
func where(frames []stacks.Frame) string {
	root, own := standard(), reflect.TypeFor[node]().PkgPath()
	for _, f := range frames {
		if strings.HasPrefix(f.Place, root) || strings.Contains(f.Place, "macemc/overlay/") || f.Package() == own {
			continue
		}
		name := f.Function[strings.LastIndexByte(f.Function, '/')+1:]
		if _, function, ok := strings.Cut(name, "."); ok {
			name = function
		}
		return "at " + filepath.Base(f.Place) + " in " + name
	}
	return "in the standard library"
}
