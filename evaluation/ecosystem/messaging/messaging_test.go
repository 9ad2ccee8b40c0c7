// Package messaging has tests of services with messages inside the process, or with the mock of a broker.
package messaging

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/IBM/sarama"
	"github.com/IBM/sarama/mocks"
	"github.com/ThreeDotsLabs/watermill"
	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/gochannel"
)

func newPubSub(t *testing.T, config gochannel.Config) *gochannel.GoChannel {
	p := gochannel.NewGoChannel(config, watermill.NopLogger{})
	t.Cleanup(func() { p.Close() })
	return p
}

func TestWatermill(t *testing.T) {
	p := newPubSub(t, gochannel.Config{})
	r, err := message.NewRouter(message.RouterConfig{}, watermill.NopLogger{})
	if err != nil {
		t.Fatal(err)
	}
	r.AddHandler("upper", "in", p, "out", p, func(m *message.Message) ([]*message.Message, error) {
		return []*message.Message{message.NewMessage(watermill.NewUUID(), append(m.Payload, '!'))}, nil
	})
	out, err := p.Subscribe(t.Context(), "out")
	if err != nil {
		t.Fatal(err)
	}
	go r.Run(t.Context())
	<-r.Running()
	if err := p.Publish("in", message.NewMessage(watermill.NewUUID(), message.Payload("hello"))); err != nil {
		t.Error(err)
	}
	m := <-out
	m.Ack()
	if string(m.Payload) != "hello!" {
		t.Errorf("got %q", m.Payload)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// order publishes an order, which a goroutine of the shipping service waits for.
func order(t *testing.T, wait func(subscribed <-chan struct{})) {
	p := newPubSub(t, gochannel.Config{})
	subscribed, shipped := make(chan struct{}), make(chan struct{})
	go func() {
		orders, err := p.Subscribe(context.Background(), "orders")
		if err != nil {
			t.Error(err)
		}
		close(subscribed)
		(<-orders).Ack()
		close(shipped)
	}()
	wait(subscribed)
	if err := p.Publish("orders", message.NewMessage("1", nil)); err != nil {
		t.Error(err)
	}
	<-shipped
}

func TestWatermillDefect(t *testing.T) {
	order(t, func(<-chan struct{}) { time.Sleep(500 * time.Microsecond) })
}

func TestWatermillMended(t *testing.T) {
	order(t, func(subscribed <-chan struct{}) { <-subscribed })
}

func TestSarama(t *testing.T) {
	p := mocks.NewAsyncProducer(t, nil)
	p.ExpectInputAndSucceed().ExpectInputAndFail(sarama.ErrOutOfBrokers)
	p.Input() <- &sarama.ProducerMessage{Topic: "news", Value: sarama.StringEncoder("a")}
	p.Input() <- &sarama.ProducerMessage{Topic: "news", Value: sarama.StringEncoder("b")}
	if e := <-p.Errors(); e.Err != sarama.ErrOutOfBrokers {
		t.Errorf("got %v", e.Err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}

// totals consumes two messages of two partitions, and adds what they say.
func totals(t *testing.T, add func(sum *atomic.Int64, n int64)) {
	t.Helper()
	c := mocks.NewConsumer(t, nil)
	var sum atomic.Int64
	var wg sync.WaitGroup
	for i := range int32(2) {
		c.ExpectConsumePartition("sales", i, sarama.OffsetOldest).YieldMessage(&sarama.ConsumerMessage{Value: []byte{2}})
		p, err := c.ConsumePartition("sales", i, sarama.OffsetOldest)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			m := <-p.Messages()
			time.Sleep(time.Duration(i) * 500 * time.Microsecond)
			add(&sum, int64(m.Value[0]))
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if n := sum.Load(); n != 4 {
		t.Errorf("sum %d", n)
	}
}

func TestSaramaDefect(t *testing.T) {
	totals(t, func(sum *atomic.Int64, n int64) { sum.Store(sum.Load() + n) })
}

func TestSaramaMended(t *testing.T) { totals(t, func(sum *atomic.Int64, n int64) { sum.Add(n) }) }
