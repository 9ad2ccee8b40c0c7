package cluster

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// ServeMetrics has the status of the search at a server told at /metrics, in the text format of Prometheus, on a loopback address: it is told to
// whoever asks. Stop ends it.
func ServeMetrics(listen, url string, s Security) (where string, stop func(), err error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return "", nil, err
	}
	if !loopback(host) {
		return "", nil, fmt.Errorf("%q is no loopback address: metrics are told to whoever asks", host)
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		return "", nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, q *http.Request) {
		ctx, cancel := context.WithTimeout(q.Context(), patience)
		defer cancel()
		st, err := StatusOf(ctx, url, s)
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/plain; version=0.0.4")
		writeMetrics(w, &st)
	})
	server := &http.Server{Handler: mux, ReadHeaderTimeout: time.Second, MaxHeaderBytes: 1 << 14}
	go func() { _ = server.Serve(l) }() // until it is closed
	return "http://" + l.Addr().String() + "/metrics", func() { _ = server.Close() }, nil
}

// writeMetrics writes a status in the text format of Prometheus.
func writeMetrics(w io.Writer, s *Status) {
	one := func(name, help string, value int) {
		fmt.Fprintf(w, "# HELP macemc_%s %s\n# TYPE macemc_%s gauge\nmacemc_%s %d\n", name, help, name, name, value)
	}
	number := func(is bool) int {
		if is {
			return 1
		}
		return 0
	}
	one("searching", "Whether a search goes on.", number(s.Run != ""))
	if s.Run == "" {
		return
	}
	one("states", "States that were found.", s.States)
	one("states_waiting", "States whose steps are still to be taken.", s.Waiting)
	one("transitions", "Transitions that were taken.", s.Transitions)
	one("depth", "States that are nearer to the start have been expanded.", s.Depth)
	one("superstep", "Supersteps that were committed.", s.Superstep)
	one("epoch", "How often workers began anew.", s.Epoch)
	one("paused", "Whether workers pause.", number(s.Paused))
	one("workers", "Workers that take part.", len(s.Workers))
	fmt.Fprint(w, "# HELP macemc_worker_states States in the parts of a worker.\n# TYPE macemc_worker_states gauge\n")
	for _, m := range s.Workers {
		fmt.Fprintf(w, "macemc_worker_states{worker=\"%d\"} %d\n", m.Worker, m.States)
	}
	if len(s.Servers) == 0 {
		return
	}
	fmt.Fprint(w, "# HELP macemc_server_current Whether a server has all that the others have.\n# TYPE macemc_server_current gauge\n")
	for _, m := range s.Servers {
		fmt.Fprintf(w, "macemc_server_current{server=%q} %d\n", m.Name, number(m.Current && !m.Offline))
	}
}
