package randtree

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/macemc/macemc/systems/nodeset"
)

const searchPeers = "RANDTREE_TEST_SEARCH"

// Where SearchEnds fails the handler really does not return; where it holds, it does.
func TestSearchThatDoesNotEnd(t *testing.T) {
	if peers := os.Getenv(searchPeers); peers != "" {
		n, env := joining()
		n.Peers, n.Children, n.Bootstrap = nodeset.Of(4), nodeset.Of(4), 0
		if peers == "with the bootstrap" {
			n.Peers = n.Peers.With(0)
		}
		n.Timer(env, joinTimer{})
		return
	}
	for peers, ends := range map[string]bool{"with the bootstrap": true, "without": false} {
		cmd := exec.Command(os.Args[0], "-test.run=^TestSearchThatDoesNotEnd$")
		cmd.Env = append(os.Environ(), searchPeers+"="+peers)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		done := make(chan error, 1)
		go func() { done <- cmd.Wait() }()
		limit := 500 * time.Millisecond
		if ends {
			limit = time.Minute
		}
		select {
		case err := <-done:
			if !ends || err != nil {
				t.Errorf("%s: the handler returned, %v", peers, err)
			}
		case <-time.After(limit):
			_ = cmd.Process.Kill()
			<-done
			if ends {
				t.Errorf("%s: the handler did not return", peers)
			}
		}
	}
}
