package search

import (
	"github.com/macemc/macemc/internal/search/meter"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/table"
)

// Engine names a way to execute steps.
type Engine string

const (
	ReplayEngine = Engine(runloop.ReplayEngine) // runs handlers at every step
	TableEngine  = Engine(runloop.TableEngine)  // looks steps up; pays when local states repeat
	// AutoEngine executes each run by the engine measured to be faster recently. From the first state that the tables
	// cannot hold, the replay engine executes it.
	AutoEngine = Engine(runloop.AutoEngine)
)

// EngineStats describes which engine executed steps. If the engine was selected by measuring, the counts differ from
// search to search, as times do. Nothing else in a [Result] depends on them.
type EngineStats struct {
	Asked        Engine  `json:"asked"`
	Used         Engine  `json:"used"`                  // the engine that executed most steps
	ReplayEvents int     `json:"replay_events"`         // steps
	TableEvents  int     `json:"table_events"`          //
	ReplayRate   float64 `json:"replay_rate"`           // events per second of processor time, if both engines were measured; otherwise 0
	TableRate    float64 `json:"table_rate"`            //
	HitRate      float64 `json:"hit_rate"`              // share of the table engine's steps that were found in the tables
	Handlers     int     `json:"handlers"`              // handler executions of the table engine's steps, including verification
	Tried        int     `json:"tried,omitempty"`       // sets tried for quorums without a Need, for the tables
	Unsupported  string  `json:"unsupported,omitempty"` // what the tables could not hold, so that the replay engine continued
	Programs     bool    `json:"programs,omitempty"`    // not measured: nodes carry programs, see [declared.Carries], which replay executes
	Copies       []Copy  `json:"copies"`                // how services were made for handlers that had to run

	counts runloop.Counts
}

// Copy describes how the table engine makes a service or monitor of one type for a handler to run on.
type Copy struct {
	Type   string `json:"type"`
	Copied bool   `json:"copied"`        // by a deep copy; otherwise by re-executing the history of the node since its last boot
	Why    string `json:"why,omitempty"` // the reason if it is not copied
}

// Add adds the counts of loops.
func (s *EngineStats) Add(c runloop.Counts) {
	s.counts.Add(c)
	s.settle()
}

// settle computes the statistics from the counts.
func (s *EngineStats) settle() {
	c := &s.counts
	s.Asked, s.Unsupported, s.Programs = Engine(c.Asked), c.Why, c.Programs
	s.ReplayEvents, s.TableEvents = c.Events[meter.ByReplay], c.Events[meter.ByTable]
	s.Handlers, s.Tried = c.Tables.Handlers, c.Tables.Tried
	if s.Used = ReplayEngine; s.TableEvents > s.ReplayEvents {
		s.Used = TableEngine
	}
	if c.Tables.Steps > 0 {
		s.HitRate = 1 - float64(c.Tables.Misses)/float64(c.Tables.Steps)
	}
	if c.CPU[meter.ByReplay] > 0 && c.CPU[meter.ByTable] > 0 {
		s.ReplayRate = float64(c.Measured[meter.ByReplay]) / c.CPU[meter.ByReplay].Seconds()
		s.TableRate = float64(c.Measured[meter.ByTable]) / c.CPU[meter.ByTable].Seconds()
	}
	if len(c.Plans) > 0 {
		s.Copies = nil
	}
	for _, p := range c.Plans {
		s.Copies = append(s.Copies, Copy(p))
	}
}

// engineOf returns the statistics of an exploration.
func engineOf(x *table.Exploration) EngineStats {
	s := EngineStats{Copies: []Copy{}, counts: runloop.Counts{Asked: runloop.TableEngine, Tables: x.Stats, Plans: x.Plans}}
	s.counts.Events[meter.ByTable] = x.Stats.Steps
	s.settle()
	return s
}
