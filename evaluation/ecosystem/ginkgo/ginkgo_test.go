// Package ginkgo has a suite of specs of an account.
package ginkgo

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/macemc/macemc/evaluation/ecosystem/ginkgo/account"
)

var _ = account.Specs(nil)

func TestGinkgo(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Account")
}
