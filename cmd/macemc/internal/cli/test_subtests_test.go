package cli

import (
	"os"
	"strings"
	"testing"
)

// Subtests are explored one by one, as go test -run TEST/SUBTEST executes them. One that cannot be explored takes nothing from the others.
func TestTest_Subtests(t *testing.T) {
	testFile(t, `package x

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"testing"
	"time"
)
`+closesTwice+`
func wait() {
	var wg sync.WaitGroup
	wg.Go(func() {})
	wg.Wait()
}

func TestAll(t *testing.T) {
	ready := make(chan bool, 1)
	t.Run("outside", func(t *testing.T) {
		if c, err := net.DialTimeout("tcp", "192.0.2.1:80", time.Millisecond); err == nil {
			c.Close()
		}
		fmt.Println("outside was executed")
	})
	t.Run("localhost", func(t *testing.T) {
		_, none := net.LookupTXT("_grpc_config.localhost")
		_, err := net.Dial("tcp", "host.invalid:80")
		for _, err := range []error{none, err} {
			if e := new(net.DNSError); !errors.As(err, &e) || !e.IsNotFound {
				t.Error(err)
			}
		}
	})
	t.Run("blocks", func(t *testing.T) { <-make(chan int) })
	t.Run("st/op: \"a\"", func(t *testing.T) { twice() })
	t.Run("same", func(t *testing.T) { wait() })
	t.Run("same", func(t *testing.T) { twice() })
	t.Run("sequential", func(t *testing.T) {})
	t.Run("..", func(t *testing.T) { wait() })
	t.Run("group", func(t *testing.T) {
		for _, name := range []string{"a", "b"} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				wait()
			})
		}
	})
	t.Run("sends", func(t *testing.T) { wait(); ready <- true })
	t.Run("needs", func(t *testing.T) {
		wait()
		select {
		case <-ready:
		default:
			t.Error("not ready")
		}
	})
}

func TestTable(t *testing.T) {
	for n := range 300 {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			if n == 7 {
				wait()
			}
			if n == 9 {
				m := map[int]bool{1: true, 2: true}
				for k := range m {
					if k == 2 {
						break
					}
					wait()
				}
			}
		})
	}
}

func TestOne(t *testing.T) {
	t.Run("only", func(t *testing.T) { twice() })
}

func TestParallel(t *testing.T) {
	var a, b sync.Mutex
	for _, locks := range [][]*sync.Mutex{{&a, &b}, {&b, &a}} {
		t.Run("", func(t *testing.T) {
			t.Parallel()
			locks[0].Lock()
			locks[1].Lock()
			locks[1].Unlock()
			locks[0].Unlock()
		})
	}
}

func TestExits(t *testing.T) {
	t.Run("wait", func(t *testing.T) { wait() })
	t.Run("exit", func(t *testing.T) { os.Exit(3) })
}
`)
	out := testStatus(t, 1, "-schedules=60", "-run=TestAll", ".")
	if strings.Count(out, "--- FAIL") != 1 || strings.Count(out, "outside was executed") != 1 {
		t.Errorf("%s", out)
	}
	const quoted = `TestAll/st/op:_"a"`
	expect(t, out, `macemc: TestAll/blocks: DEADLOCK`, `macemc: `+quoted+`: PANIC`, `macemc: TestAll/same#01: PANIC`, "goroutine [0-9]+: started at x_test.go",
		`macemc: example.org/x TestAll/outside: not explored: it reaches another machine`,
		`macemc: example.org/x TestAll/needs: not explored: it fails without other subtests of the test`,
		"TestAll: not explored: as a whole, because its runs end in TestAll/outside")
	if strings.Contains(out, "TestAll/localhost") {
		t.Errorf("a name below localhost is looked up outside:\n%s", out)
	}
	if strings.Contains(out, "TestAll/same:") || strings.Contains(out, ": not ready") {
		t.Errorf("a finding of another subtest:\n%s", out)
	}
	files := map[string]string{"TestAll/same#01": `^TestAll$/^same#01$`, "TestAll/blocks": "TestAll"}
	for name, run := range files {
		kind := map[bool]string{true: "deadlock", false: "panic"}[name == "TestAll/blocks"]
		file := "testdata/macemc/" + name + "/" + kind + "-1.path"
		testReports(t, []string{"replayed from"}, 1, "-run="+run, "-schedule="+file, ".")
	}
	entries, err := os.ReadDir("testdata/macemc/TestAll/st")
	if err != nil || len(entries) != 1 || strings.ContainsAny(entries[0].Name(), `:"`) {
		t.Fatalf("got %v, %v", entries, err)
	}
	mdb, status := commandHere(t.Context(), "mdb", "testdata/macemc/TestAll/st/"+entries[0].Name()+"/panic-1.path", "--batch", "-x", "end")
	if status != 0 || !strings.Contains(mdb, "close of closed channel") {
		t.Errorf("status %d:\n%s", status, mdb)
	}
	testReports(t, []string{"--- PASS: TestAll/same ", "--- FAIL: TestAll/same#01 ", "--- PASS: TestAll/group/a "}, 1, "-v", "-schedules=9", "-run=TestAll", ".")

	out = testStatus(t, 0, "-v", "-schedules=60", "-run=TestTable", ".")
	expect(t, out, "macemc: TestTable/7: ", "macemc: TestTable/9: ", `macemc: TestTable: 29[678] other subtests without concurrency: 20 schedules, no finding`)

	out = testStatus(t, 1, "-schedules=200", "-run=TestOne|TestParallel|TestExits", ".")
	expect(t, out, "macemc: PANIC", "-schedule testdata/macemc/TestOne/panic-1.path", "-schedule testdata/macemc/TestParallel/deadlock-1.path",
		`macemc: TestExits/exit: EXIT: os.Exit\(3\) was called`)
	expect(t, testStatus(t, 1, "-schedules=60", "-run=TestOne/only", "."), "macemc: TestOne/only: PANIC", "-schedule testdata/macemc/TestOne/only/panic-1.path")
	testReports(t, []string{"replayed from"}, 1, "-run=TestOne", "-schedule=testdata/macemc/TestOne/panic-1.path", ".")
}

// A subtest that ends runs is left out, also if the name of another one continues its name.
func TestTest_SubtestNames(t *testing.T) {
	testFile(t, `package x

import "testing"

func TestNames(t *testing.T) {
	for _, name := range []string{"a/b", "a", "c", "a/b/c"} {
		t.Run(name, func(t *testing.T) {
			done := make(chan bool)
			go func() { close(done) }()
			<-done
			if name != "c" {
				testing.Benchmark(func(*testing.B) {})
			}
		})
	}
}
`)
	testReports(t, []string{"--- PASS: TestNames/c ", "TestNames/a, TestNames/a/b: not explored: each runs a benchmark\n"}, 0,
		"-count=1", "-v", "-vet=off", "-schedules=20", ".")
}
