package overlay

import (
	"fmt"
	"regexp"
	"strings"
)

var atomicFunc = regexp.MustCompile(`(?m)^(//go:noescape\n)?(//go:linknamestd \w+\n)?func (\w+)\(addr ([^)]*)\)( \([^)]*\))?$`)

// atomicBodies gives the functions of package sync/atomic bodies in Go.
func atomicBodies(text string, added map[string]string) (string, error) {
	const file = "sync/atomic/zz_macemc_tests_points.go"
	n := 0
	if !strings.Contains(text, "internal/runtime/sys") {
		if !strings.Contains(text, "\nimport (\n") && !strings.Contains(text, `import "unsafe"`) {
			text = strings.Replace(text, "\npackage atomic\n", "\npackage atomic; import \"internal/runtime/sys\"; import \"unsafe\"\n", 1)
		} else {
			text = strings.Replace(text, "\npackage atomic\n", "\npackage atomic; import \"internal/runtime/sys\"\n", 1)
		}
	}
	text = atomicFunc.ReplaceAllStringFunc(text, func(s string) string {
		m := atomicFunc.FindStringSubmatch(s)
		name, params, result := m[3], "addr "+m[4], m[5]
		if name == "StorePointer" || name == "SwapPointer" || name == "CompareAndSwapPointer" {
			return s // package runtime has these
		}
		n++
		var args []string
		for p := range strings.SplitSeq(params, ",") {
			args = append(args, strings.Fields(p)[0])
		}
		call := "macemc" + name + "(" + strings.Join(args, ", ") + ")"
		if strings.HasPrefix(name, "CompareAndSwap") {
			call = "macemcSwapped(" + call + ")"
		}
		if result != "" {
			call = "return " + call
		}
		std := ""
		if m[2] != "" {
			std = "//go:linknamestd macemc" + name + "\n"
		}
		added[file] += "//go:noescape\n" + std + "func macemc" + name + "(" + params + ")" + result + "\n"
		return strings.Repeat("\n", strings.Count(m[1]+m[2], "\n")) + "func " + name + "(" + params + ")" + result +
			" { macemcAtomic(unsafe.Pointer(addr), sys.GetCallerPC()); " + call + " }"
	})
	if n < 10 {
		return "", fmt.Errorf("only %d functions of sync/atomic are declared in a known form", n)
	}
	return text, nil
}

var typeMethod = regexp.MustCompile(`(?m)^func \(x \*(Bool|Int32|Int64|Uint32|Uint64|Uintptr|Pointer\[T\])\) [A-Z]\w*\([^)]*\)` +
	`(?: \([^)]*\)| \w+| \*T)? \{`)

// typeMethods turns the methods of Int32 and similar types into scheduling points of their callers. Builds with -race do not inline these
// methods, and the functions that they call count as called by this package.
func typeMethods(text string, _ map[string]string) (string, error) {
	if n := len(typeMethod.FindAllString(text, -1)); n < 40 {
		return "", fmt.Errorf("only %d methods of atomic types are declared in a known form", n)
	}
	text = strings.Replace(text, "\npackage atomic\n", "\npackage atomic; import \"internal/runtime/sys\"\n", 1)
	text = typeSwap.ReplaceAllString(text, "\treturn macemcSwapped($1)")
	return typeMethod.ReplaceAllString(text, "${0} macemcAtomic(unsafe.Pointer(&x.v), sys.GetCallerPC());"), nil
}

// typeSwap is a call of a function whose body the compiler replaces within its package.
var typeSwap = regexp.MustCompile(`(?m)^\treturn (CompareAndSwap\w+\(&x\.v, .*\))$`)

var valueMethod = regexp.MustCompile(`(?m)^func \(v \*Value\) (Load|Store|Swap|CompareAndSwap)\(.*\{$`)

// valueMethods turns the methods of Value into scheduling points, for callers outside the distribution's own synchronization.
func valueMethods(text string, _ map[string]string) (string, error) {
	if n := len(valueMethod.FindAllString(text, -1)); n != 4 {
		return "", fmt.Errorf("there are %d methods of Value, not 4", n)
	}
	text = strings.Replace(text, "\npackage atomic\n", "\npackage atomic; import \"internal/runtime/sys\"\n", 1)
	return valueMethod.ReplaceAllString(text, "${0} macemcAtomic(unsafe.Pointer(v), sys.GetCallerPC());"), nil
}

func renameAtomics(pattern string) func(string, map[string]string) (string, error) {
	re := regexp.MustCompile(pattern)
	return func(text string, _ map[string]string) (string, error) {
		if !re.MatchString(text) {
			return "", fmt.Errorf("nothing matches %s", pattern)
		}
		return re.ReplaceAllString(text, "${1}macemc${2}${3}"), nil
	}
}

var pointerFunc = regexp.MustCompile(`(?m)^func sync_atomic_\w+Pointer\(ptr .*\{$`)

func pointerAtomics(text string, _ map[string]string) (string, error) {
	if n := len(pointerFunc.FindAllString(text, -1)); n < 3 {
		return "", fmt.Errorf("there are only %d functions sync_atomic_...Pointer", n)
	}
	if !strings.Contains(text, `"internal/runtime/sys"`) {
		text = strings.Replace(text, "import (", `import ("internal/runtime/sys";`, 1)
	}
	const calls = " macemcAtomic(unsafe.Pointer(ptr), sys.GetCallerPC()); if raceenabled { macemcAtomicBegins() };"
	return pointerFunc.ReplaceAllString(text, "${0}"+calls), nil
}

// atomicCalls makes the atomic operations report the recorded call.
func atomicCalls(text string, _ map[string]string) (string, error) {
	const field = "(g_macemc+macemcG_macemcCommonG+macemcCommonG_macemcRaceCall+macemcRaceCall_"
	for _, r := range [][2]string{
		{"\tMOVQ\t8(SP), RARG1\t", "\tMOVQ\t" + field + "caller)(R14), RARG1\t"},
		{"\tMOVQ\t(SP), RARG2\t", "\tMOVQ\t" + field + "inside)(R14), RARG2; TESTQ RARG2, RARG2; CMOVQEQ (SP), RARG2\t"},
	} {
		if n := strings.Count(text, r[0]); n != 2 {
			return "", fmt.Errorf("%q is there %d times, not twice", r[0], n)
		}
		text = strings.ReplaceAll(text, r[0], r[1])
	}
	return text, nil
}
