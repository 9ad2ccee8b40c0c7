// Package kafka has tests of a service with a Kafka cluster in the same process.
package kafka

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
)

// start starts a cluster, and returns a client that consumes its topic.
func start(t *testing.T) *kgo.Client {
	k, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "news"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	c, err := kgo.NewClient(kgo.SeedBrokers(k.ListenAddrs()...), kgo.DefaultProduceTopic("news"), kgo.ConsumeTopics("news"),
		kgo.DisableClientMetrics())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func TestKafka(t *testing.T) {
	c := start(t)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if err := c.ProduceSync(ctx, kgo.StringRecord("a"), kgo.StringRecord("b")).FirstErr(); err != nil {
		t.Fatal(err)
	}
	var got string
	for len(got) < 2 && ctx.Err() == nil {
		c.PollFetches(ctx).EachRecord(func(r *kgo.Record) { got += string(r.Value) })
	}
	if got != "ab" {
		t.Errorf("got %q", got)
	}
}

// acknowledged produces two records, and counts the replies.
func acknowledged(t *testing.T, count func(mu *sync.Mutex, wg *sync.WaitGroup, n *int), settle func(c *kgo.Client, wg *sync.WaitGroup)) {
	t.Helper()
	c := start(t)
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	for range 2 {
		wg.Add(1)
		c.Produce(t.Context(), kgo.StringRecord("x"), func(_ *kgo.Record, err error) {
			if err != nil {
				t.Error(err)
			}
			count(&mu, &wg, &n)
		})
	}
	settle(c, &wg)
	mu.Lock()
	defer mu.Unlock()
	if n != 2 {
		t.Errorf("%d acknowledged", n)
	}
}

// The callback reports that it is done before it has counted.
func TestKafkaDefect(t *testing.T) {
	acknowledged(t, func(mu *sync.Mutex, wg *sync.WaitGroup, n *int) {
		wg.Done()
		mu.Lock()
		*n++
		mu.Unlock()
	}, func(_ *kgo.Client, wg *sync.WaitGroup) { wg.Wait(); time.Sleep(500 * time.Microsecond) })
}

func TestKafkaMended(t *testing.T) {
	acknowledged(t, func(mu *sync.Mutex, wg *sync.WaitGroup, n *int) {
		defer wg.Done()
		mu.Lock()
		*n++
		mu.Unlock()
	}, func(_ *kgo.Client, wg *sync.WaitGroup) { wg.Wait() })
}
