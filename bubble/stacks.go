package bubble

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// show describes the history for people: how many steps there were, and what the goroutines wait for.
func (p *past) show() string {
	stepping.Lock()
	defer stepping.Unlock()
	if p.last == nil {
		return "not booted"
	}
	text := fmt.Sprintf("%d steps", p.last.number)
	if p.run != nil && p.run.at == p.last {
		text += "; " + p.run.n.goroutines()
	}
	return text
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

// where is the innermost frame that is neither of the Go distribution nor of this package.
func where(frames string) string {
	lines := strings.Split(frames, "\n")
	root := runtime.GOROOT()
	for i := 0; i+1 < len(lines); i += 2 {
		fn, at := lines[i], strings.TrimSpace(lines[i+1])
		if strings.HasPrefix(fn, "created by ") {
			break
		}
		path, _, _ := strings.Cut(fn, "(")
		first, _, _ := strings.Cut(path, "/")
		if !strings.Contains(first, ".") && strings.Contains(path, "/") || root != "" && strings.HasPrefix(at, root) ||
			strings.HasPrefix(fn, "github.com/macemc/macemc/bubble.") || strings.HasPrefix(fn, "sync.") || strings.HasPrefix(fn, "time.") ||
			strings.HasPrefix(fn, "runtime.") {
			continue
		}
		at, _, _ = strings.Cut(at, " ")
		return filepath.Base(at)
	}
	return "in the standard library"
}
