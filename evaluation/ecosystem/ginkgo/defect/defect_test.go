// Package defect has a suite of specs of an account that may be overdrawn.
package defect

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/macemc/macemc/evaluation/ecosystem/ginkgo/account"
)

var _ = account.Specs(func(a *account.Account, n int) bool {
	if a.Get() < n {
		return false
	}
	a.Add(-n)
	return true
})

func TestGinkgoDefect(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Account")
}
