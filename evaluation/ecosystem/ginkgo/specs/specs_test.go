// Package specs has a suite with a defect in one spec, an ordered container, and a spec that cannot be explored.
package specs

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestSpecs(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Counter")
}

// TestWithoutSpecs fails if goroutines write in different orders.
func TestWithoutSpecs(t *testing.T) {
	for range 3 {
		fmt.Println("not the summary of a suite")
	}
	c, last := new(counter), new(counter)
	var wg sync.WaitGroup
	wg.Go(func() { c.set(1); last.set(1) })
	wg.Go(func() { c.set(2); last.set(2) })
	wg.Wait()
	if c.get() != last.get() {
		t.Fail()
	}
}

var suites int

var _ = BeforeSuite(func() { suites++ })
var _ = AfterSuite(func() { Expect(suites).To(Equal(1)) })

// counter adds without holding its lock.
type counter struct {
	mu sync.Mutex
	n  int
}

func (c *counter) get() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (c *counter) set(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n = n
}

func (c *counter) add() { c.set(c.get() + 1) }

// concurrently calls a function in some goroutines.
func concurrently(n int, do func()) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(do)
	}
	wg.Wait()
}

var _ = Describe("a counter", func() {
	var c *counter
	BeforeEach(func() { c = new(counter) })

	It("adds / counts", func() {
		concurrently(2, c.add)
		Expect(c.get()).To(Equal(2))
	})
	It("adds", func() {
		concurrently(1, c.add)
		Expect(c.get()).To(Equal(1))
	})
	It("is zero", func() { Expect(c.get()).To(BeZero()) })
	It("is set", func() {
		concurrently(2, func() { c.set(7) })
		Expect(c.get()).To(Equal(7))
	})
	It("is sent to another machine", func() {
		if s, err := net.DialTimeout("tcp", "192.0.2.1:80", time.Millisecond); err == nil {
			s.Close()
		}
	})
	Describe("that lasts", Ordered, func() {
		lasting := new(counter)
		It("begins", func() { concurrently(1, lasting.add) })
		It("continues", func() {
			Expect(lasting.get()).To(Equal(1))
			concurrently(1, lasting.add)
		})
	})
	PIt("counts backwards")
})
