package frameworks

import (
	"testing"
	"time"

	qt "github.com/frankban/quicktest"
	"github.com/smartystreets/goconvey/convey"
	gotest "gotest.tools/v3/assert"
	"gotest.tools/v3/poll"
)

func TestQuicktest(t *testing.T) {
	c := qt.New(t)
	q := newQueue()
	c.Cleanup(q.close)
	go q.put(3)
	job, ok := q.take()
	c.Assert(ok, qt.IsTrue)
	c.Check(job, qt.Equals, 3)
	c.Run("closed", func(c *qt.C) {
		q := newQueue()
		go q.close()
		_, ok := q.take()
		c.Assert(ok, qt.IsFalse)
	})
}

// receives waits for a job that another goroutine puts after a while.
func receives(t *testing.T, take func(q *queue)) {
	c, q := qt.New(t), newQueue()
	go func() { time.Sleep(500 * time.Microsecond); q.put(1) }()
	take(q)
	c.Check(q.size(), qt.Equals, 0)
}

// A job that is put between the look and the wait wakes nobody.
func TestQuicktestDefect(t *testing.T) {
	receives(t, func(q *queue) {
		if q.size() == 0 {
			q.mu.Lock()
			q.filled.Wait()
			q.mu.Unlock()
		}
		q.take()
	})
}

func TestQuicktestMended(t *testing.T) { receives(t, func(q *queue) { q.take() }) }

func TestConvey(t *testing.T) {
	convey.Convey("Given a queue", t, func() {
		q := newQueue()
		convey.Convey("When a job is put by another goroutine", func() {
			go q.put(5)
			job, ok := q.take()
			convey.Convey("Then it is taken", func() {
				convey.So(ok, convey.ShouldBeTrue)
				convey.So(job, convey.ShouldEqual, 5)
				convey.So(q.size(), convey.ShouldEqual, 0)
			})
		})
	})
}

func conveyLimit(t *testing.T, put func(q *queue, job int) bool) {
	convey.Convey("Given a queue for one job", t, func() {
		q := newQueue()
		convey.Convey("When two are put", func() {
			convey.So(together(func(job int) bool { return put(q, job) }, q), convey.ShouldEqual, 1)
		})
	})
}

func TestConveyDefect(t *testing.T) { conveyLimit(t, (*queue).putUnsafe) }

func TestConveyMended(t *testing.T) { conveyLimit(t, (*queue).putLimited) }

func TestGotestTools(t *testing.T) {
	q := newQueue()
	go q.put(1)
	poll.WaitOn(t, func(poll.LogT) poll.Result {
		if q.size() == 1 {
			return poll.Success()
		}
		return poll.Continue("%d jobs", q.size())
	}, poll.WithDelay(time.Millisecond), poll.WithTimeout(time.Second))
	job, ok := q.take()
	gotest.Assert(t, ok)
	gotest.Equal(t, job, 1)
}

func TestGotestToolsDefect(t *testing.T) {
	q := newQueue()
	gotest.Equal(t, together(q.putUnsafe, q), 1)
}

func TestGotestToolsMended(t *testing.T) {
	q := newQueue()
	gotest.Equal(t, together(q.putLimited, q), 1)
}
