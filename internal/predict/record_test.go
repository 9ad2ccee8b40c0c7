package predict

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unsafe"
)

func TestEvent_Size(t *testing.T) {
	if size := unsafe.Sizeof(Event{}); size != 64 {
		t.Errorf("an event has %d bytes, want 64", size)
	}
}

// Package program and this package declare the operations in the same order.
func TestOp_Numbers(t *testing.T) {
	names := func(file, prefix, first string) (list []string) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, text2, found := strings.Cut(string(text), "\n\t"+prefix+first)
		block, _, _ := strings.Cut(text2, "\n)")
		for _, m := range regexp.MustCompile(`(?m)^\s*`+prefix+`(\w+)`).FindAllStringSubmatch("\n\t"+prefix+first+block, -1) {
			list = append(list, m[1])
		}
		if !found || len(list) < 20 {
			t.Fatalf("%s has only %q", file, list)
		}
		return list
	}
	want := names("record.go", "", "Go Op")
	if got := names("../testsched/program/operation.go", "Op", "Go "); !slices.Equal(got[:len(want)], want) {
		t.Errorf("package program has %q, want %q", got, want)
	}
}
