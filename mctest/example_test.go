package mctest_test

import (
	"testing"
	"time"

	"github.com/macemc/macemc/mctest"
	"github.com/macemc/macemc/search"
)

// A test that checks a system. It fails if a run violates a property.
func ExampleCheck() {
	var t *testing.T // the parameter of the test
	mctest.Check(t, System)
}

// A test that searches for a minute, and reports all distinct violations.
func ExampleCheckWith() {
	var t *testing.T
	mctest.CheckWith(t, System, mctest.Options{Time: time.Minute, Strategy: search.Faulty, KeepGoing: true})
}

// A regression test, as -macemc.write-test writes it. It fails while the run violates any property.
func ExampleReplay() {
	var t *testing.T
	mctest.Replay(t, System, "testdata/regress/PingAck_1.path")
}
