package bubble

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/macemc/macemc/bubble/internal/userframes"
	"github.com/macemc/macemc/internal/simext"
	"github.com/macemc/macemc/internal/stacks"
)

// places holds the last stacks of the program's goroutines in a step where they act or begin to wait: at locks, channels and timers, and
// where they send or write. Its fields must match macemcPlaces of the overlay.
type places struct {
	count  uint32 // number of stacks of the step
	stacks [64][32]uintptr
}

// last returns the last place in the module of the checked package, or else in another one; an empty string means that there is none.
func (p *places) last() (place string) {
	for k := range min(p.count, uint32(len(p.stacks))) {
		own := framesOf(p.stacks[(p.count-1-k)%uint32(len(p.stacks))][:])
		if text, inside := nearest(own); inside {
			return text
		} else if place == "" {
			place = text
		}
	}
	return place
}

// nearest returns the place of the innermost frame of the module of the checked package, or else of all frames.
func nearest(own []runtime.Frame) (place string, inside bool) {
	if len(own) == 0 {
		return "", false
	}
	at := slices.IndexFunc(own, func(f runtime.Frame) bool { return checkedModule != "" && strings.HasPrefix(f.Function, checkedModule) })
	f := own[max(at, 0)]
	return fmt.Sprintf("%s:%d", f.File, f.Line), at >= 0
}

// checkedModule is the path of the module of the checked package; an empty string means unknown.
var checkedModule = func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Path
}()

// framesOf returns the program's own frames of a stack, innermost first. A zero ends the stack.
func framesOf(pcs []uintptr) (own []runtime.Frame) {
	if end := slices.Index(pcs, 0); end >= 0 {
		pcs = pcs[:end]
	}
	frames, await := runtime.CallersFrames(pcs), stacks.Name(simext.AwaitProgram)
	for {
		f, more := frames.Next()
		if f.Function == await { // the rest belongs to the checker
			return own
		}
		if userframes.Is(f) {
			own = append(own, f)
		}
		if !more {
			return own
		}
	}
}

// ofChecker reports whether a function belongs to the checker.
func ofChecker(code any) bool {
	f := runtime.FuncForPC(reflect.ValueOf(code).Pointer())
	file, _ := f.FileLine(f.Entry())
	return !userframes.Is(runtime.Frame{Function: f.Name(), File: file})
}
