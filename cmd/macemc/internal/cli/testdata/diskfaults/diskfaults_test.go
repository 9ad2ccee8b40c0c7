// Package diskfaults has a server that acknowledges a value after it has synced it, and so relies on its disk.
package diskfaults

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"testing"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

type (
	acknowledged struct{ Value string }
	restored     struct{ Value string }
)

// store writes a value to a file and syncs the file and its directory.
func store(value string) error {
	dir, err := os.Open("/data")
	if err != nil {
		return err
	}
	defer dir.Close()
	f, err := os.Create("/data/value")
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Sync(), dir.Sync(), f.Close())
}

// serve stores the value that its client sends.
func serve(_ context.Context, h *bubble.Host) error {
	value, err := os.ReadFile("/data/value")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	h.Announce(restored{string(value)})
	l, err := net.Listen("tcp", ":80")
	if err != nil {
		return err
	}
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		value, err := bufio.NewReader(c).ReadString('\n')
		if err == nil {
			err = store(value)
		}
		if err == nil {
			_, err = io.WriteString(c, "ok\n")
		}
		if err = errors.Join(err, c.Close()); err != nil {
			h.Log().Info(err.Error())
		}
	}
}

// send announces that its value was acknowledged.
func send(ctx context.Context, h *bubble.Host) error {
	c, err := net.Dial("tcp", "n0:80")
	if err != nil {
		return err
	}
	fmt.Fprintln(c, "x")
	if answer, _ := bufio.NewReader(c).ReadString('\n'); answer == "ok\n" {
		h.Announce(acknowledged{"x\n"})
	}
	<-ctx.Done()
	return nil
}

// durability is violated if an acknowledged value is not restored.
type durability struct{ Value string }

func (d *durability) Observe(_ sim.NodeID, event any) error {
	switch e := event.(type) {
	case acknowledged:
		d.Value = e.Value
	case restored:
		if d.Value != "" && e.Value != d.Value {
			return fmt.Errorf("restored %q after %q was acknowledged", e.Value, d.Value)
		}
	}
	return nil
}

func TestAcknowledged(t *testing.T) {
	mctest.Check(t, sim.System{
		Nodes: 2, State: bubble.Rules, Network: netsim.Streams{}, Crashes: 1,
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return bubble.Service(serve, bubble.DataDir("/data"))
			}
			return bubble.Service(send)
		},
		Monitors: []func() sim.Monitor{func() sim.Monitor { return &durability{} }},
	})
}
