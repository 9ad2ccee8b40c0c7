package facts

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// same reports values that differ.
func same(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// has reports a text that another one lacks.
func has(t *testing.T, text any, part string) {
	t.Helper()
	if !strings.Contains(fmt.Sprint(text), part) {
		t.Errorf("%q is missing in:\n%v", part, text)
	}
}

// lacks reports texts that another one has.
func lacks(t *testing.T, text any, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if strings.Contains(strings.ToLower(fmt.Sprint(text)), strings.ToLower(part)) {
			t.Errorf("%q is in:\n%v", part, text)
		}
	}
}

// must reports an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// checker are texts that show the checker.
var checker = []string{"macemc", "synctest", "explore", "testsched"}

// stackOf returns the functions of the caller's stack.
func stackOf() (list []string) {
	pcs := make([]uintptr, 50)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs)])
	for {
		f, more := frames.Next()
		if list = append(list, f.Function); !more {
			return list
		}
	}
}
