// Package mended has a suite of specs of an account.
package mended

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/macemc/macemc/evaluation/ecosystem/ginkgo/account"
)

var _ = account.Specs((*account.Account).Withdraw)

func TestGinkgoMended(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Account")
}
