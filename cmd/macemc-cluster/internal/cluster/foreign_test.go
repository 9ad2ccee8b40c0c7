package cluster

import (
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/macemc/macemc/systems/spec"
)

// foreign starts a NATS server that is not one of macemc.
func foreign(t *testing.T, set func(*server.Options)) string {
	t.Helper()
	opts := &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), SyncAlways: true, NoSigs: true, NoLog: true}
	set(opts)
	ns, err := server.NewServer(opts)
	if err != nil {
		t.Fatal(err)
	}
	ns.Start()
	if !ns.ReadyForConnections(10 * time.Second) {
		t.Fatal("got a server that does not start, want one within 10 s")
	}
	t.Cleanup(func() { ns.Shutdown(); ns.WaitForShutdown() })
	return "nats://" + ns.Addr().String()
}

// Any server with JetStream will do. A server without storage is rejected with the reason.
func TestForeignServer(t *testing.T) {
	t.Parallel()
	url := foreign(t, func(*server.Options) {})
	work(t, url, 2)
	x, err := search(t, url, "paxos", spec.Config{Params: map[string]string{"proposers": "2"}})
	if err != nil || !x.Complete || x.States != 98_160 || x.Transitions != 506_256 {
		t.Errorf("got %+v, error %v, want all: 98160 states, 506256 transitions", x, err)
	}
	for what, set := range map[string]func(*server.Options){
		"messages of at most 65536 bytes": func(o *server.Options) { o.MaxPayload = 1 << 16 },
		"JetStream":                       func(o *server.Options) { o.JetStream = false },
	} {
		url := foreign(t, set)
		began := time.Now()
		if _, err := search(t, url, "paxos", spec.Config{}); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("got error %v, want one about %s", err, what)
		}
		t.Logf("after %v", time.Since(began))
	}
}
