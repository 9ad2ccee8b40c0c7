package bubble

import (
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
)

// show describes the history for people by what the goroutines wait for. Other texts would differ after every step.
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

// goroutines tells what the goroutines of the program wait for: how many, for what, and where in code that is not of Go's own.
func (n *node) goroutines() string {
	buf := make([]byte, 64<<10)
	for {
		if used := runtime.Stack(buf, true); used < len(buf) {
			buf = buf[:used]
			break
		}
		buf = make([]byte, 2*len(buf))
	}
	count := map[string]int{}
	mine := fmt.Sprintf("synctest bubble %d]", n.bubble)
	for stack := range strings.SplitSeq(string(buf), "\n\n") {
		head, frames, _ := strings.Cut(stack, "\n")
		if !strings.Contains(head, mine) || strings.Contains(frames, "bubble.(*node).loop(") || strings.Contains(frames, "internal/synctest.Run") ||
			strings.Contains(frames, "runtime.synctestRun") {
			continue
		}
		_, why, _ := strings.Cut(head, "[")
		why, _, _ = strings.Cut(why, ",")
		why, _, _ = strings.Cut(strings.TrimSuffix(why, "]"), " (durable)")
		count[why+" "+where(frames)]++
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
	return strings.Join(texts, ", ")
}

// standard is the folder of the standard library's source, as stacks name it.
func standard() string {
	file, _ := runtime.FuncForPC(reflect.ValueOf(strings.Cut).Pointer()).FileLine(0)
	return strings.TrimSuffix(file, "strings/strings.go")
}

// where is the innermost frame that is neither of the Go distribution nor of this package.
func where(frames string) string {
	lines := strings.Split(frames, "\n")
	root := standard()
	for i := 0; i+1 < len(lines); i += 2 {
		fn, at := lines[i], strings.TrimSpace(lines[i+1])
		if strings.HasPrefix(fn, "created by ") {
			break
		}
		path, _, _ := strings.Cut(fn, "(")
		if strings.HasPrefix(at, root) || strings.Contains(at, "macemc/overlay/") || path == "github.com/macemc/macemc/bubble" ||
			strings.HasPrefix(path, "github.com/macemc/macemc/bubble.") {
			continue
		}
		at, _, _ = strings.Cut(at, " ")
		return filepath.Base(at)
	}
	return "in the standard library"
}
