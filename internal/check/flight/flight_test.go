package flight_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/macemc/macemc/internal/check/flight"
)

const fileVar = "FLIGHT_TEST_FILE"

// A process that dies at once, without executing code at its end, leaves its picks.
func TestOutlivesProcess(t *testing.T) {
	if name := os.Getenv(fileVar); name != "" {
		r, err := flight.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		p := r.Path(1)
		p = append(p, 5, 6, 7, 8)
		p = append(p[:0], 9, 0) // a shorter run follows
		r.Set(flight.Steps, len(p))
		os.Exit(0)
	}
	name := filepath.Join(t.TempDir(), "flight")
	r, err := flight.Create(name, 2, 10)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestOutlivesProcess$")
	cmd.Env = append(os.Environ(), fileVar+"="+name)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, ok := r.Ended(); ok {
		t.Error("the process seems to have ended by itself")
	}
	if got := r.Get(flight.Steps); got != 2 {
		t.Errorf("steps %d, want 2", got)
	}
	if got := r.Recorded(1)[:5]; !slices.Equal(got, []int32{9, 0, 7, 8, flight.None}) {
		t.Errorf("left %v", got)
	}
	if got := r.Recorded(0)[:2]; !slices.Equal(got, []int32{flight.None, flight.None}) {
		t.Errorf("the other run left %v", got)
	}
	r.End(1)
	if status, ok := r.Ended(); !ok || status != 1 {
		t.Errorf("ended %d, %v", status, ok)
	}
}

// A run that exceeds its room continues outside of it and does not overwrite its neighbor.
func TestOverflow(t *testing.T) {
	r, err := flight.Create(filepath.Join(t.TempDir(), "flight"), 2, 10)
	if err != nil {
		t.Fatal(err)
	}
	p := r.Path(0)
	for range 20 {
		p = append(p, 1)
	}
	if r.Recorded(0)[9] != 1 || r.Recorded(1)[0] != flight.None {
		t.Error("picks are not where they belong")
	}
}

func TestOpenRefuses(t *testing.T) {
	for what, content := range map[string][]byte{"empty": nil, "zeros": make([]byte, 8192)} {
		name := filepath.Join(t.TempDir(), "flight")
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := flight.Open(name); err == nil {
			t.Errorf("%s: accepted", what)
		}
	}
}
