package userframes_test

import (
	"testing"

	"github.com/macemc/macemc/bubble/internal/userframes"
	"github.com/macemc/macemc/internal/stacks"
	"github.com/macemc/macemc/internal/testsched/program"
)

// A waiting goroutine is described by the user's function that made the blocking call.
func TestWhere(t *testing.T) {
	frames := []stacks.Frame{
		{Function: "sync.(*Mutex).Lock", Place: program.Root + "sync/mutex.go:5"},
		{Function: "github.com/macemc/macemc/bubble/internal/waitqueue.(*List).Wait", Place: "/home/me/waitqueue/waitqueue.go:9"},
		{Function: "github.com/macemc/macemc/bubble.(*conn).Read", Place: "/home/me/macemc/bubble/conn.go:9"},
		{Function: "github.com/macemc/macemc/bubble/internal/filesystem.(*File).Write", Place: "/home/me/macemc/bubble/internal/filesystem/file.go:9"},
		{Function: "github.com/macemc/macemc/bubble/internal/filetree.Parse", Place: "/home/me/macemc/bubble/internal/filetree/tree.go:9"},
		{Function: "example.com/a/pool.(*Pool).take", Place: "/home/me/pool/pool.go:12"},
		{Function: "example.com/a.main", Place: "/home/me/main.go:7"},
	}
	if got, want := userframes.Where(frames), "at pool.go:12 in (*Pool).take"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := userframes.Where(frames[:5]), "in the standard library"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A goroutine waits for the function that the program calls, or for the operation that the program executes itself.
func TestDescribe(t *testing.T) {
	user := stacks.Frame{Function: "example.com/a.main", Place: "/home/me/main.go:7"}
	for want, called := range map[string]stacks.Frame{
		"http.ListenAndServe at main.go:7 in main": {Function: "net/http.ListenAndServe", Place: program.Root + "net/http/server.go:5"},
		"select at main.go:7 in main":              {Function: "sync.(*Cond).Wait", Place: program.Root + "sync/cond.go:5"},
	} {
		if got := userframes.Describe([]stacks.Goroutine{{Status: "select", Frames: []stacks.Frame{called, user}}}); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got, want := userframes.Describe([]stacks.Goroutine{{Status: "select", Frames: []stacks.Frame{user}}}), "select at main.go:7 in main"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
