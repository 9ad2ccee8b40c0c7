package agents

import (
	"io"

	"github.com/macemc/macemc/internal/testsched"
)

// RunnerOf returns a runner of a process that is connected by a stream. Others start after so many points; 0 means none.
func RunnerOf(stream io.ReadWriter, start uint64, runs *Runs) *Runner {
	return &Runner{Session: &Session{Connection: testsched.Connect(stream), start: start}, Runs: runs}
}

// Claim claims a core that is free.
func (c *Cores) Claim() (release func()) { return c.claim() }
