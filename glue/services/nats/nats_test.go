package nats

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/macemc/macemc/bubble"
	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/netsim"
	"github.com/macemc/macemc/sim"
)

// serve runs a server whose streams are files.
func serve(ctx context.Context) error {
	s, err := server.NewServer(&server.Options{
		ServerName: "n0", Port: 4222, NoSigs: true,
		JetStream: true, StoreDir: "/data", JetStreamMaxMemory: 1 << 20, JetStreamMaxStore: 1 << 20,
	})
	if err != nil {
		return err
	}
	s.Start()
	<-ctx.Done()
	s.Shutdown()
	return nil
}

const messages = 2

// publish publishes messages, each until it is acknowledged. Its arguments are the subject, and whether messages have
// IDs, by which the server recognizes those that it has stored already.
func publish(context.Context) error {
	subject := os.Args[1]
	identified, err := strconv.ParseBool(os.Args[2])
	if err != nil {
		return err
	}
	// Nodes that are alike draw the same name for their inbox.
	c, err := nats.Connect("nats://n0:4222", nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.CustomInboxPrefix(subject))
	if err != nil {
		return err
	}
	js, err := c.JetStream()
	if err != nil {
		return err
	}
	for n := 0; n < messages; {
		var options []nats.PubOpt
		if identified {
			options = append(options, nats.MsgId(fmt.Sprint(subject, n)))
		}
		if _, err := js.Publish(subject, nil, options...); err != nil {
			js.AddStream(&nats.StreamConfig{Name: "S", Subjects: []string{"s1", "s2"}, Duplicates: time.Hour})
			time.Sleep(time.Second)
			continue
		}
		n++
		info, err := js.StreamInfo("S", &nats.StreamInfoRequest{SubjectsFilter: subject})
		if err == nil && info.State.Subjects[subject] > messages {
			return fmt.Errorf("%d messages of %d are stored", info.State.Subjects[subject], messages)
		}
	}
	return nil
}

// system has a server and two publishers.
func system(identified bool) sim.System {
	return sim.System{
		Name: "nats", Nodes: 3, State: bubble.Rules, Network: netsim.Streams{Errors: 1}, Crashes: 1, Clocks: &sim.Clocks{},
		New: func(id sim.NodeID) sim.Service {
			if id == 0 {
				return bubble.Command(serve, []string{"nats-server"}, nil, bubble.DataDir("/data"))
			}
			return bubble.Command(publish, []string{"publish", fmt.Sprint("s", id), fmt.Sprint(identified)}, nil)
		},
		Properties: []sim.Property{
			{Name: "no message is stored twice", Always: func(v *sim.View) bool {
				return !strings.Contains(end(v, 1)+end(v, 2), "stored")
			}},
			{Name: "the publishers are done", Eventually: func(v *sim.View) bool {
				return end(v, 1) == success && end(v, 2) == success
			}},
		},
	}
}

const success = "returned <nil>"

// end returns how the program of a node has ended; an empty string means that it is running or down.
func end(v *sim.View, id sim.NodeID) string {
	if p, up := v.Service(id).(*bubble.Program); up {
		return p.Ended
	}
	return ""
}

// No message is stored twice although connections break and nodes crash.
func TestStream(t *testing.T) { mctest.Check(t, system(true)) }
