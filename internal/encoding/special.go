package encoding

import (
	"encoding/binary"
	"reflect"
	"runtime"
	"slices"
	"unsafe"

	"github.com/macemc/macemc/internal/encoding/memory"
	"github.com/macemc/macemc/macetime"
)

// special executes the rare ops.
func (e *Encoder) special(l *leaf, q unsafe.Pointer, dst []byte) []byte {
	switch l.op {
	case opFunction:
		if l.of.kind == reflect.Pointer {
			p := *(*unsafe.Pointer)(q)
			if p == nil {
				return append(dst, 0)
			}
			if e.track {
				if pos, met := e.again(p, l.of, 1, isOpaque, dst); met {
					return appendUint(dst, uint64(pos)+2)
				}
			}
			dst = append(dst, 1)
		}
		return withLength(dst, l.of, func(dst []byte) []byte {
			if e.set.Calls != nil {
				return e.set.encode(l.of, dst, q)
			}
			return l.of.encode(dst, q)
		})
	case opHook:
		return withLength(dst, l.of, memory.Assemble(l.of.pointerTo, q).(selfEncoder).AppendState)
	case opPosition:
		return e.position(*(*macetime.Time)(q), dst)
	case opInstant:
		t := (*instant)(q)
		dst = binary.AppendVarint(appendUint(dst, t.wall), t.ext)
		return e.location(l.of.elem, t.zone, dst)
	case opLocation:
		return e.location(l.of.elem, *(*unsafe.Pointer)(q), dst)
	case opContent:
		p := *(*unsafe.Pointer)(q)
		if p == nil {
			return append(dst, 0)
		}
		return e.run(l.of.elem.prog, p, append(dst, 1))
	case opName:
		name := functionName(q)
		dst = appendUint(dst, uint64(len(name)))
		return append(dst, name...)
	}
	panic("encoding: unknown op")
}

// withLength appends the output of encode after its length, in four bytes.
func withLength(dst []byte, n *node, encode func([]byte) []byte) []byte {
	from := len(dst) + 4
	dst = encode(append(dst, 0, 0, 0, 0))
	if len(dst) < from {
		panic(&Error{Type: n.typ, Verb: "encoded", Hint: "its function must append to the slice it is given"})
	}
	binary.LittleEndian.PutUint32(dst[from-4:], uint32(len(dst)-from))
	return dst
}

func (e *Encoder) position(t macetime.Time, dst []byte) []byte {
	if t == (macetime.Time{}) {
		return append(dst, 0)
	}
	i := slices.Index(e.times, t)
	if i < 0 {
		i = len(e.times)
		e.times = append(e.times, t)
	}
	return appendUint(dst, uint64(i)+1)
}

// functionName returns the name of the function in the variable at p. An empty string means nil.
func functionName(p unsafe.Pointer) string {
	code := *(**uintptr)(p)
	if code == nil {
		return ""
	}
	return runtime.FuncForPC(*code).Name()
}
