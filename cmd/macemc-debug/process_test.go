package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// The error names the permission that is missing, and nothing if none is.
func TestExplained(t *testing.T) {
	denied := &os.PathError{Op: "fork/exec", Path: "x.test", Err: syscall.EPERM}
	if err := explained(denied); !strings.Contains(err.Error(), "SYS_PTRACE") {
		t.Error(err)
	}
	missing := &os.PathError{Op: "fork/exec", Path: "x.test", Err: syscall.ENOENT}
	if err := explained(missing); strings.Contains(err.Error(), "SYS_PTRACE") {
		t.Error(err)
	}
}

// The frames of the checker and the runtime are hidden, others are not.
func TestHidden(t *testing.T) {
	for function, file := range map[string]string{
		"runtime.macemcPointed":         "/go/src/runtime/zz_macemc_tests_points.go",
		"testing.tRunner":               "/go/src/testing/testing.go",
		"net.(*packetQueue).recvfrom":   "/go/src/net/zz_macemc_fake.go",
		"sync.macemcAcquired":           "/go/src/sync/mutex.go",
		"internal/runtime/maps.(*m).It": "/go/src/internal/runtime/maps/map.go",
	} {
		if !hidden(function, file) {
			t.Errorf("%s in %s is shown", function, file)
		}
	}
	for function, file := range map[string]string{
		"sync.(*Mutex).Lock":      "/go/src/sync/mutex.go",
		"net/http.(*conn).serve":  "/go/src/net/http/server.go",
		"testing/fstest.TestFS":   "/go/src/testing/fstest/testfs.go",
		"internal/sync.(*M).Lock": "/go/src/internal/sync/mutex.go",
	} {
		if hidden(function, file) {
			t.Errorf("%s in %s is hidden", function, file)
		}
	}
}

// The reason of the wait of a goroutine that is held back is that of the changed runtime.
func TestWaitHeld(t *testing.T) {
	source, err := os.ReadFile("../../internal/overlay/_source/common/runtime/yield.go")
	if err != nil {
		t.Fatal(err)
	}
	declared := regexp.MustCompile(fmt.Sprintf(`(?m)^\tmacemcWaitHeld\s+waitReason = %d \+ iota`, waitHeld))
	if !declared.Match(source) {
		t.Errorf("macemcWaitHeld is not %d", waitHeld)
	}
}
