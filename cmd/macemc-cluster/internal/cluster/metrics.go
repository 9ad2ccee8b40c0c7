package cluster

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"
)

// ServeMetrics serves the status of the search of a server at /metrics, in the text format of Prometheus, without
// authentication and therefore on a loopback address. Stop ends it.
func ServeMetrics(listen, url string, s Security) (where string, stop func(), err error) {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return "", nil, err
	}
	if !loopback(host) {
		return "", nil, fmt.Errorf("%q is not a loopback address: metrics have no authentication", host)
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
	one("searching", "Whether there is a search.", number(s.Run != ""))
	if s.Run == "" {
		return
	}
	one("states", "States found.", s.States)
	one("states_waiting", "States that wait for expansion.", s.Waiting)
	one("transitions", "Transitions executed.", s.Transitions)
	one("depth", "All states nearer to the start are expanded.", s.Depth)
	one("superstep", "Supersteps committed.", s.Superstep)
	one("epoch", "Epochs begun by the workers.", s.Epoch)
	one("paused", "Whether workers are paused.", number(s.Paused))
	one("workers", "Workers that take part.", len(s.Workers))
	fmt.Fprint(w, "# HELP macemc_worker_states States in the parts of a worker.\n# TYPE macemc_worker_states gauge\n")
	for _, m := range s.Workers {
		fmt.Fprintf(w, "macemc_worker_states{worker=\"%d\"} %d\n", m.Worker, m.States)
	}
	if len(s.Servers) == 0 {
		return
	}
	fmt.Fprint(w, "# HELP macemc_server_current Whether a server is up to date.\n# TYPE macemc_server_current gauge\n")
	for _, m := range s.Servers {
		fmt.Fprintf(w, "macemc_server_current{server=%q} %d\n", m.Name, number(m.Current && !m.Offline))
	}
}
