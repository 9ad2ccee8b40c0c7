package cluster

import (
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/macemc/macemc/internal/table/options"
	"github.com/macemc/macemc/systems/spec"
)

// The output of /metrics has the format of Prometheus and the numbers of the status, and is served only on this
// machine.
func TestMetrics(t *testing.T) {
	t.Parallel()
	for _, listen := range []string{"0.0.0.0:0", ":0", "10.1.2.3:0", "nothing"} {
		if _, stop, err := ServeMetrics(listen, "nats://127.0.0.1:1", Security{}); err == nil {
			stop()
			t.Errorf("%s is let listen", listen)
		}
	}
	url := serve(t)
	where, stop, err := ServeMetrics("127.0.0.1:0", url, Security{})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	get := func() string {
		r, err := http.Get(where)
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatal(r.Status, err)
		}
		return string(text)
	}
	if text := get(); !strings.Contains(text, "\nmacemc_searching 0\n") {
		t.Error(text)
	}
	work(t, url, 1)
	during := ""
	system, letGo := hold(t, "paxos")
	if _, err := search(t, url, system, spec.Config{}, func(o *options.Options) {
		o.Progress = func(states, _, _, _ int) {
			if states > 100 && during == "" {
				during = get()
				letGo()
			}
		}
	}); err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`^(# (HELP|TYPE) macemc_[a-z_]+ .+|macemc_[a-z_]+(\{[a-z]+="[^"\\]*"\})? [0-9]+)$`)
	for l := range strings.Lines(during) {
		if !line.MatchString(strings.TrimSuffix(l, "\n")) {
			t.Errorf("%q", l)
		}
	}
	for _, want := range []string{`\nmacemc_searching 1\n`, `\nmacemc_states [1-9][0-9]*\n`, `\nmacemc_workers 1\n`, `\nmacemc_worker_states\{worker="1"\} [1-9][0-9]*\n`} {
		if !regexp.MustCompile(want).MatchString(during) {
			t.Errorf("%s is not in\n%s", want, during)
		}
	}
}
