// Package account has the specs of an account. A process can run one suite, so each suite has a package of its own.
package account

import (
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Account has a balance that is not to be negative.
type Account struct {
	mu      sync.Mutex
	balance int
}

// Get returns the balance.
func (a *Account) Get() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.balance
}

// Add adds to the balance.
func (a *Account) Add(n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance += n
}

// Withdraw reduces the balance if it suffices.
func (a *Account) Withdraw(n int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.balance < n {
		return false
	}
	a.balance -= n
	return true
}

// Specs registers the specs of an account. Two requests withdraw by a function, if it is not nil.
func Specs(withdraw func(a *Account, n int) bool) bool {
	return Describe("an account", func() {
		var a *Account
		BeforeEach(func() { a = &Account{balance: 1} })

		It("takes deposits", func() {
			go a.Add(1)
			Eventually(a.Get).WithTimeout(time.Second).WithPolling(time.Millisecond).Should(Equal(2))
		})

		It("refuses what it does not have", func() {
			Expect(a.Withdraw(2)).To(BeFalse())
			Expect(a.Get()).To(Equal(1))
		})

		if withdraw == nil {
			return
		}
		It("is withdrawn from by two requests", func(ctx SpecContext) {
			var wg sync.WaitGroup
			for i := range 2 {
				wg.Go(func() {
					defer GinkgoRecover()
					time.Sleep(time.Duration(i) * 500 * time.Microsecond)
					withdraw(a, 1)
				})
			}
			wg.Wait()
			Expect(a.Get()).To(BeZero())
		}, SpecTimeout(10*time.Second))
	})
}
