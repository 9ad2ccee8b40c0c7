// Package part is a component of services.
package part

import (
	"time"

	"github.com/macemc/macemc/sim"
)

type Transport struct{ Sent int }

func (t *Transport) Send(env sim.Env, to sim.NodeID) { env.Send(to, t.Sent) }
func (t *Transport) Count()                          { t.Sent++ }

// Stamp is reached from across.
func (t *Transport) Stamp() int64 { return now() }

func now() int64 { return time.Now().Unix() } // want "by way of .*node..Receive .across.go:18. > .*node..deliver .across.go:25. > .*Transport..Stamp .part.go:16. > now"
