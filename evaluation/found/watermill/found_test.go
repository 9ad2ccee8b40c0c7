package watermill

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/ThreeDotsLabs/watermill/message"
	"github.com/ThreeDotsLabs/watermill/pubsub/gochannel"
)

// A handler of topic a publishes to topic b, as handlers of a Router do, while somebody subscribes to topic c.
func TestBlockingPublish(t *testing.T) {
	pubsub := gochannel.NewGoChannel(gochannel.Config{BlockPublishUntilSubscriberAck: true}, nil)
	a, err := pubsub.Subscribe(context.Background(), "a")
	if err != nil {
		t.Fatal(err)
	}
	go pubsub.Publish("a", message.NewMessage("1", nil))
	msg := <-a
	go pubsub.Subscribe(context.Background(), "c")
	time.Sleep(100 * time.Millisecond) // Subscribe waits for the lock.
	done := make(chan struct{})
	go func() {
		pubsub.Publish("b", message.NewMessage("2", nil))
		msg.Ack()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(3 * time.Second):
		t.Error("two calls of Publish and one of Subscribe are blocked for ever")
	}
}

// Publish asks whether the GoChannel is closed, and uses its map of messages later. About one of 1,000 attempts shows it;
// ten of ten tests failed.
func TestPublishDuringClose(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16)) // More threads than processors: the system pauses them at any operation.
	start := time.Now()
	panics := make(chan string, 1)
	for attempt := 1; time.Since(start) < time.Minute; attempt++ {
		pubsub := gochannel.NewGoChannel(gochannel.Config{Persistent: true}, nil)
		published := make(chan struct{})
		go func() {
			defer close(published)
			defer func() {
				if err := recover(); err != nil {
					panics <- fmt.Sprint(err)
				}
			}()
			pubsub.Publish("a", message.NewMessage("1", nil))
		}()
		for range attempt % 1000 {
			_ = time.Since(start)
		}
		pubsub.Close()
		<-published
		select {
		case err := <-panics:
			t.Fatalf("attempt %d: Publish panics: %s", attempt, err)
		default:
		}
	}
}
