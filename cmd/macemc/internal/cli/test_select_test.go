package cli

import (
	"os"
	"strings"
	"testing"
)

// A schedule determines which ready case each select takes. The default order takes the first one in the source. All others are enumerated,
// drawn, replayed and minimized.
func TestTest_SelectCases(t *testing.T) {
	testFile(t, `package x

import (
	"reflect"
	"testing"
	"time"
)

func full() chan int {
	c := make(chan int, 1)
	c <- 1
	return c
}

func TestSecond(t *testing.T) {
	select {
	case <-full():
	case <-full():
		t.Error("second")
	}
}

func TestReflect(t *testing.T) {
	recv := func(c any) reflect.SelectCase { return reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)} }
	if i, _, _ := reflect.Select([]reflect.SelectCase{recv(full()), recv((chan int)(nil)), recv(full())}); i == 2 {
		t.Error("third")
	}
}

func TestTimeout(t *testing.T) {
	work, timeout := full(), time.After(0)
	time.Sleep(time.Millisecond)
	select {
	case <-work:
	case <-timeout:
		t.Error("times out")
	}
}

func TestBlocks(t *testing.T) {
	a, b := full(), full()
	select {
	case <-a:
	case <-b:
		b = nil
	}
	<-b
}

func TestRare(t *testing.T) {
	taken := ""
	for range 5 {
		select {
		case <-full():
			taken += "a"
		case <-full():
			taken += "b"
		}
	}
	if taken == "aabaa" || taken == "aabba" {
		t.Error("rare")
	}
}

func TestFineCount(t *testing.T) {
	for range 4 {
		select {
		case <-full():
		case full() <- 1:
		case <-full():
		}
	}
}
`)
	tests := []string{"TestSecond", "TestReflect", "TestTimeout", "TestBlocks", "TestRare"}
	for _, args := range [][]string{{"-exhaustive"}, {"-schedules=400"}} {
		if err := os.RemoveAll("testdata"); err != nil {
			t.Fatal(err)
		}
		out, status := testCommand(t.Context(), append([]string{"-count=1", "-v", "."}, args...)...)
		for _, want := range []string{
			"FAILED TEST: x_test.go:19: second\n", "FAILED TEST: x_test.go:26: third\n", "FAILED TEST: x_test.go:36: times out\n",
			"DEADLOCK: 1 goroutine is blocked and nothing can wake it\n", "FAILED TEST: x_test.go:61: rare\n", "--- PASS: TestFineCount ",
		} {
			if status != 1 || !strings.Contains(out, want) {
				t.Errorf("%v: status %d, %q is missing:\n%s", args, status, want, out)
			}
		}
		if n := strings.Count(out, "; 1 case of a select differs from the default order\n"); n != len(tests) {
			t.Errorf("%v: %d of %d findings have one case:\n%s", args, n, len(tests), out)
		}
		if n := strings.Count(out, "takes another ready case in step"); n != len(tests) || strings.Contains(out, "second time") {
			t.Errorf("%v: %d of %d findings name the case:\n%s", args, n, len(tests), out)
		}
		if args[0] == "-exhaustive" && !strings.Contains(out, "complete: all 16 schedules") {
			t.Errorf("%v: the cases of 4 selects are not enumerated:\n%s", args, out)
		}
		for _, test := range tests {
			dir := "testdata/macemc/" + test
			files, err := os.ReadDir(dir)
			if err != nil || len(files) != 1 {
				t.Fatal(err, files)
			}
			testReports(t, []string{"--- FAIL: " + test}, 1, "-run=^"+test+"$", "-schedule="+dir+"/"+files[0].Name(), ".")
		}
	}
}
