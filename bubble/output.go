package bubble

import (
	"regexp"
	"strconv"
	"strings"
	"unsafe"
)

// volatile matches what may be an address, or the number of a goroutine or bubble in the process of the checker.
var volatile = regexp.MustCompile(`0x[0-9a-f]{8,12}\b|(?m)(?:^|\bin )goroutine [0-9]+(?: \[|$)|\bsynctest bubble [0-9]+`)

// heapSize bounds the distance of two addresses in the heap.
const heapSize = 1 << 36

// steady replaces such addresses and numbers in a text for readers. They differ between executions.
func steady(text string) string {
	if !strings.Contains(text, "0x") && !strings.Contains(text, "goroutine ") {
		return text
	}
	return volatile.ReplaceAllStringFunc(text, func(s string) string {
		hex, isAddress := strings.CutPrefix(s, "0x")
		if !isAddress {
			name := strings.TrimRight(strings.TrimSuffix(s, " ["), "0123456789")
			return name + "N" + strings.TrimLeft(s[len(name):], "0123456789")
		}
		v, err := strconv.ParseUint(hex, 16, 64)
		if d := v - uint64(uintptr(unsafe.Pointer(stepping))) + heapSize; err != nil || d > 2*heapSize {
			return s
		}
		return "0xADDRESS"
	})
}
