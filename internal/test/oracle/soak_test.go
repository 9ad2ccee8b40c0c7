package oracle

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"
)

var (
	soak   = flag.Int("soak", 0, "compare this many more systems with the oracle, from where the last soak stopped")
	during = flag.Duration("for", 0, "end the soak after about this time; 0: when all systems are compared")
	tally  = flag.String("tally", "../../../.soak", "the folder where a soak keeps how far it came")
	page   = flag.String("page", "", "write what the soaks came to into the table of this page")
)

// A soak of more systems than every run of the tests has: make soak; -page writes what they found.
func TestSoak(t *testing.T) {
	if *soak == 0 && *page == "" {
		t.Skip("takes long: make soak")
	}
	name := filepath.Join(*tally, fmt.Sprintf("oracle-%d.json", Generator))
	sum, err := ReadTally(name)
	if err != nil {
		t.Fatal(err)
	}
	if *soak > 0 {
		runSoak(t, sum, name)
	}
	if *page != "" {
		if err := sum.Insert(*page); err != nil {
			t.Fatal(err)
		}
	}
}

func runSoak(t *testing.T, sum *Tally, name string) {
	defer debug.SetGCPercent(debug.SetGCPercent(1600))
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if *during > 0 {
		timed, cancel := context.WithTimeout(ctx, *during)
		defer cancel()
		ctx = timed
	}
	const atOnce = 100
	first, end := sum.Next, sum.Next+uint64(*soak)
	began, shown := time.Now(), time.Now()
	for sum.Next < end && ctx.Err() == nil {
		sum.Run(ctx, int(min(atOnce, end-sum.Next)), runtime.GOMAXPROCS(0), func(number uint64, difference string) { differs(t, number, difference) })
		if err := sum.Write(name); err != nil {
			t.Fatal(err)
		}
		if time.Since(shown) > 10*time.Second {
			shown = time.Now()
			fmt.Printf("%d systems, %d states, %d searches, %d differences; %d to go, %.1f a second\n", sum.Systems, sum.States, sum.Searches,
				len(sum.Different), end-sum.Next, float64(sum.Next-first)/time.Since(began).Seconds())
		}
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		fmt.Printf("stopped after %v; ", *during)
	case ctx.Err() != nil:
		fmt.Print("interrupted; ")
	}
	fmt.Printf("so far: %+v\n", *sum)
}

func TestTally(t *testing.T) {
	name := t.TempDir() + "/dir/tally.json"
	sum, err := ReadTally(name)
	if err != nil || sum.Next != 0 {
		t.Fatal(sum, err)
	}
	sum.Run(context.Background(), 3, 2, func(uint64, string) {})
	if err := sum.Write(name); err != nil {
		t.Fatal(err)
	}
	again, err := ReadTally(name)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(sum) || again.Next != 3 || again.Systems != 3 {
		t.Errorf("wrote %+v, read %+v, %v", sum, again, err)
	}
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if again.Run(stopped, 5, 1, func(uint64, string) {}); again.Next != 3 {
		t.Errorf("stopped before it began, but it went on to %d", again.Next)
	}
	again.Generator++
	if err := again.Write(name); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadTally(name); err == nil {
		t.Error("a tally of another generator is accepted")
	}
}

// The result of a soak replaces the row of its generator in the table of a page, and adds one if there is none.
func TestTallyOnPage(t *testing.T) {
	name := t.TempDir() + "/page.md"
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	sum := &Tally{Generator: 3, Next: 12345, Systems: 12345, States: 1234567, Transitions: 7, Searches: 100, Different: []uint64{9}}
	write("text\n" + tableHead + "| 1 | a |\n| 3 | 0 to 5 |\n| 4 | b |\n\nmore | text\n")
	row := "| 3 | 0 to 12,344 | 1,234,567 | 7 | 100 | 1 |\n"
	for _, want := range []string{
		"text\n" + tableHead + "| 1 | a |\n" + row + "| 4 | b |\n\nmore | text\n",
		"text\n" + tableHead + "| 1 | a |\n" + row + "| 4 | b |\n| 5 | 0 to 12,344 | 1,234,567 | 7 | 100 | 1 |\n\nmore | text\n",
	} {
		if err := sum.Insert(name); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("page: %v\n%s\nwant\n%s", err, got, want)
		}
		sum.Generator = 5
	}
	write("no table")
	if err := sum.Insert(name); err == nil || !strings.Contains(err.Error(), "no table") {
		t.Errorf("a page without the table: %v", err)
	}
	if err := (&Tally{Generator: 3}).Insert(name); err == nil {
		t.Error("a row of nothing is written")
	}
}
