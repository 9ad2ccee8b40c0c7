// Command raft serves a replicated key-value store over HTTP. It does not depend on the checker: its test runs three
// servers.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/raft"
)

var (
	address = flag.String("address", "", "address of this server for the others")
	servers = flag.String("servers", "", "addresses of all servers, with commas")
	local   = flag.Bool("local", false, "answer reads without the other servers")
)

func main() {
	flag.Parse()
	s := &store{values: map[string]string{}}
	r, err := start(s)
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("GET /{key}", func(w http.ResponseWriter, q *http.Request) {
		if !*local {
			if err := r.Barrier(time.Second).Error(); err != nil {
				http.Error(w, err.Error(), http.StatusServiceUnavailable)
				return
			}
		}
		fmt.Fprint(w, s.get(q.PathValue("key")))
	})
	http.HandleFunc("PUT /{key}", func(w http.ResponseWriter, q *http.Request) {
		value, err := io.ReadAll(q.Body)
		if err == nil {
			err = r.Apply(fmt.Appendf(nil, "%s=%s", q.PathValue("key"), value), time.Second).Error()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	})
	log.Fatal(http.ListenAndServe(":80", nil))
}

// start joins the cluster, whose first members are all servers.
func start(s *store) (*raft.Raft, error) {
	c := raft.DefaultConfig()
	c.LocalID, c.LogLevel = raft.ServerID(*address), "WARN"
	j, err := openJournal("/data/journal")
	if err != nil {
		return nil, err
	}
	transport, err := raft.NewTCPTransport(*address, nil, 3, 10*time.Second, os.Stderr)
	if err != nil {
		return nil, err
	}
	var members raft.Configuration
	for a := range strings.SplitSeq(*servers, ",") {
		members.Servers = append(members.Servers, raft.Server{ID: raft.ServerID(a), Address: raft.ServerAddress(a)})
	}
	snapshots := raft.NewDiscardSnapshotStore()
	if err := raft.BootstrapCluster(c, j, j, snapshots, transport, members); err != nil && err != raft.ErrCantBootstrap {
		return nil, err
	}
	return raft.NewRaft(c, s, j, j, snapshots, transport)
}

// store implements raft.FSM. Its commands have the form key=value.
type store struct {
	mu     sync.Mutex
	values map[string]string
}

func (s *store) get(key string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values[key]
}

func (s *store) Apply(l *raft.Log) any {
	key, value, _ := strings.Cut(string(l.Data), "=")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[key] = value
	return nil
}

func (s *store) Snapshot() (raft.FSMSnapshot, error) { return nil, errors.ErrUnsupported }
func (s *store) Restore(io.ReadCloser) error         { return errors.ErrUnsupported }
