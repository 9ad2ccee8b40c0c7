package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/macemc/macemc/internal/report"
)

// No search of a program is complete, because its schedules and random numbers are sampled. Text, JSON and JUnit report the samples, and
// state for each check that other values were not checked.
func TestSampled_IsNeverComplete(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test with the changed runtime")
	}
	leanBuilds(t)
	junit := filepath.Join(t.TempDir(), "junit.xml")
	for _, c := range []struct{ name, strategy, limit, check string }{
		{"LostUpdate", "deepening", "--max-paths=9", "right"},
		{"RareDraw", "deepening", "--max-paths=9", "right"},
		{"Deadlock", "deepening", "--max-paths=9", "no deadlock"},
		{"LostUpdate", "bfs", "--time=10s", "right"},
	} {
		out, status := runHere(t, filepath.Dir(testdata(t, "")), "search", "./testdata/sampled:Test"+c.name, "--strategy", c.strategy,
			"--interleave", "fifo", c.limit, "--json", "--junit", junit)
		_, object, _ := strings.Cut(out, "{") // behind what the build said
		var r report.Report
		if err := json.Unmarshal([]byte("{"+object), &r); err != nil || status != 0 {
			t.Fatalf("%s, %s: exit status %d, %v:\n%s", c.name, c.strategy, status, err, out)
		}
		labels := map[string]int{}
		for _, d := range r.Coverage.Sampled {
			labels[d.Label] = d.Taken
		}
		if r.Coverage.Complete || labels["schedule of the goroutines"] != 1 || labels["random numbers of the program"] < 1 {
			t.Errorf("%s, %s: JSON has complete %v, sampled %+v", c.name, c.strategy, r.Coverage.Complete, r.Coverage.Sampled)
		}
		text, err := os.ReadFile(junit)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{
			`<property name="complete" value="false">`,
			`<property name="sampled" value="&#34;schedule of the goroutines&#34;: 1 of arbitrarily many alternatives">`,
			`SAMPLED, not enumerated: "schedule of the goroutines": 1 of arbitrarily many alternatives`,
			`name="` + c.check + `" time="0.000">` + "\n" + `      <system-out><![CDATA[checked only for the sampled alternatives: "random numbers of the program": `,
		} {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s, %s: JUnit and text have no %q:\n%s", c.name, c.strategy, want, text)
			}
		}
		if strings.Contains(string(text), "every state") {
			t.Errorf("%s, %s: the text says that every state was visited:\n%s", c.name, c.strategy, text)
		}
	}
}

// Clocks of nodes begin when the command does, and a path file records when. A private key and a certificate that a test makes are the same in
// each process: a later command executes the run again, byte by byte.
func TestSampled_Certificate(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test with the changed runtime")
	}
	leanBuilds(t)
	dir := filepath.Dir(testdata(t, ""))
	folder := filepath.Join(t.TempDir(), "out")
	out, status := runHere(t, dir, "search", "./testdata/sampled:TestCertificate", "--no-shrink", "--out", folder)
	file := filepath.Join(folder, "error.path")
	text, err := os.ReadFile(file)
	if status != 1 || err != nil {
		t.Fatalf("exit status %d, %v:\n%s", status, err, out)
	}
	if !regexp.MustCompile(`(?m)^instant 20.*\.123456789Z$`).Match(text) {
		t.Errorf("no instant in %s", text)
	}
	if out, status := runHere(t, dir, "replay", file); status != 1 || !strings.Contains(out, "the finding that the file records recurs") {
		t.Errorf("exit status %d:\n%s", status, out)
	}
}

// A search that continues, and a replay by the test, begin the clocks at the instant of the stored search and of the path file.
func TestSampled_StoredInstant(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a test with the changed runtime")
	}
	leanBuilds(t)
	dir, temp := filepath.Dir(testdata(t, "")), t.TempDir()
	stored, folder := filepath.Join(temp, "stored"), filepath.Join(temp, "out")
	search := []string{"search", "./testdata/sampled:TestCertificate", "--strategy", "bfs", "--visited", "64", "--no-shrink", "--durable", stored, "--out", folder}
	out, status := runHere(t, dir, append(search, "--depth", "1")...)
	text, err := os.ReadFile(filepath.Join(stored, "manifest.json"))
	at := regexp.MustCompile(`"instant": (\d+)`).FindSubmatch(text)
	if err != nil || at == nil {
		t.Fatalf("exit status %d, %v, no instant in %s\n%s", status, err, text, out)
	}
	nanos, err := strconv.ParseInt(string(at[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second) // commands of one second begin at one instant
	out, status = runHere(t, dir, append(search, "--resume")...)
	file := filepath.Join(folder, "error.path")
	text, err = os.ReadFile(file)
	if want := "\ninstant " + time.Unix(0, nanos).UTC().Format(time.RFC3339Nano) + "\n"; status != 1 || !strings.Contains(string(text), want) {
		t.Errorf("exit status %d, %v, no %q in\n%s\n%s", status, err, want, text, out)
	}
	out, _ = runHere(t, dir, "test", "-vet=off", "-count=1", "./testdata/sampled", "-run=^TestCertificate$", "-macemc.replay="+file)
	if !strings.Contains(out, "safety: no end: does not hold") {
		t.Errorf("-macemc.replay:\n%s", out)
	}
}
