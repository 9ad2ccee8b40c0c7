// Package frameworks has tests in the styles of test frameworks. What they test is a queue.
package frameworks

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/stretchr/testify/suite"
)

// queue is a queue of jobs with a limit.
type queue struct {
	mu     sync.Mutex
	filled *sync.Cond
	jobs   []int
	closed bool
}

func newQueue() *queue {
	q := &queue{}
	q.filled = sync.NewCond(&q.mu)
	return q
}

func (q *queue) put(job int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs = append(q.jobs, job)
	q.filled.Signal()
}

func (q *queue) size() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.jobs)
}

// take waits for a job. It returns false when the queue is closed.
func (q *queue) take() (int, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.jobs) == 0 && !q.closed {
		q.filled.Wait()
	}
	if len(q.jobs) == 0 {
		return 0, false
	}
	job := q.jobs[0]
	q.jobs = q.jobs[1:]
	return job, true
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.filled.Broadcast()
}

// putLimited adds a job unless there is one. putUnsafe looks first, and adds the job then.
func (q *queue) putLimited(job int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.jobs) > 0 {
		return false
	}
	q.jobs = append(q.jobs, job)
	return true
}

func (q *queue) putUnsafe(job int) bool {
	if q.size() > 0 {
		return false
	}
	q.put(job)
	return true
}

// together puts two jobs into a queue, and returns its size.
func together(put func(job int) bool, q *queue) int {
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			time.Sleep(time.Duration(i) * 500 * time.Microsecond)
			put(i)
		})
	}
	wg.Wait()
	return q.size()
}

type queueSuite struct {
	suite.Suite
	q *queue
}

func (s *queueSuite) SetupTest()    { s.q = newQueue() }
func (s *queueSuite) TearDownTest() { s.q.close() }

func (s *queueSuite) TestOrder() {
	go func() { s.q.put(1); s.q.put(2) }()
	a, _ := s.q.take()
	b, _ := s.q.take()
	s.Equal([]int{1, 2}, []int{a, b})
}

func (s *queueSuite) TestClose() {
	go s.q.close()
	_, ok := s.q.take()
	s.Require().False(ok)
}

func TestSuite(t *testing.T) { suite.Run(t, new(queueSuite)) }

type limitSuite struct {
	suite.Suite
	q   *queue
	put func(q *queue, job int) bool
}

func (s *limitSuite) SetupTest() { s.q = newQueue() }

func (s *limitSuite) TestEmpty() { s.Zero(s.q.size()) }

func (s *limitSuite) TestLimit() {
	s.Equal(1, together(func(job int) bool { return s.put(s.q, job) }, s.q))
}

func TestSuiteDefect(t *testing.T) { suite.Run(t, &limitSuite{put: (*queue).putUnsafe}) }

func TestSuiteMended(t *testing.T) { suite.Run(t, &limitSuite{put: (*queue).putLimited}) }

func TestTestify(t *testing.T) {
	q := newQueue()
	var wg sync.WaitGroup
	wg.Go(func() { q.put(1) })
	assert.Eventually(t, func() bool { return q.size() == 1 }, time.Second, 5*time.Millisecond)
	wg.Wait()
	job, ok := q.take()
	require.True(t, ok)
	assert.Equal(t, 1, job)
}

// eventually polls until there is a job, and receives it.
func eventually(t *testing.T, poll func(q *queue, got chan int) bool, receive func(got chan int) int) {
	q, got := newQueue(), make(chan int, 1)
	go q.put(7)
	require.Eventually(t, func() bool { return poll(q, got) }, time.Second, time.Millisecond)
	assert.Equal(t, 7, receive(got))
}

// The poll reports what it has seen before it hands it over.
func TestTestifyDefect(t *testing.T) {
	eventually(t, func(q *queue, got chan int) bool {
		if q.size() == 0 {
			return false
		}
		go func() { job, _ := q.take(); got <- job }()
		return true
	}, func(got chan int) int {
		select {
		case job := <-got:
			return job
		case <-time.After(900 * time.Microsecond):
			return 0
		}
	})
}

func TestTestifyMended(t *testing.T) {
	eventually(t, func(q *queue, got chan int) bool {
		if q.size() == 0 {
			return false
		}
		job, _ := q.take()
		got <- job
		return true
	}, func(got chan int) int { return <-got })
}
