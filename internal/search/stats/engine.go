package stats

import (
	"github.com/macemc/macemc/internal/search/meter"
	"github.com/macemc/macemc/internal/search/runloop"
	"github.com/macemc/macemc/internal/table"
	"github.com/macemc/macemc/internal/table/store"
)

// Engine describes which engine executed steps. If the engine was selected by measuring, the counts differ from
// search to search, as times do. Nothing else in a result depends on them.
type Engine struct {
	Asked        string       `json:"asked"`
	Used         string       `json:"used"`                  // the engine that executed most steps
	ReplayEvents int          `json:"replay_events"`         // steps
	TableEvents  int          `json:"table_events"`          //
	ReplayRate   float64      `json:"replay_rate"`           // events per second of processor time, if both engines were measured; otherwise 0
	TableRate    float64      `json:"table_rate"`            //
	HitRate      float64      `json:"hit_rate"`              // share of the table engine's steps that were found in the tables
	Handlers     int          `json:"handlers"`              // handler executions of the table engine's steps, including verification
	Tried        int          `json:"tried,omitempty"`       // sets tried for quorums without a Need, for the tables
	Unsupported  string       `json:"unsupported,omitempty"` // what the tables could not hold, so that the replay engine continued
	Programs     bool         `json:"programs,omitempty"`    // not measured: replay executes nodes that carry programs, see [declared.Carries]
	Copies       []store.Plan `json:"copies"`                // how services were made for handlers that had to run

	counts runloop.Counts
}

// Add adds the counts of loops.
func (s *Engine) Add(c runloop.Counts) {
	s.counts.Add(c)
	s.settle()
}

// settle computes the statistics from the counts.
func (s *Engine) settle() {
	c := &s.counts
	s.Asked, s.Unsupported, s.Programs = c.Asked, c.Why, c.Programs
	s.ReplayEvents, s.TableEvents = c.Events[meter.ByReplay], c.Events[meter.ByTable]
	s.Handlers, s.Tried = c.Tables.Handlers, c.Tables.Tried
	if s.Used = runloop.ReplayEngine; s.TableEvents > s.ReplayEvents {
		s.Used = runloop.TableEngine
	}
	if c.Tables.Steps > 0 {
		s.HitRate = 1 - float64(c.Tables.Misses)/float64(c.Tables.Steps)
	}
	if c.CPU[meter.ByReplay] > 0 && c.CPU[meter.ByTable] > 0 {
		s.ReplayRate = float64(c.Measured[meter.ByReplay]) / c.CPU[meter.ByReplay].Seconds()
		s.TableRate = float64(c.Measured[meter.ByTable]) / c.CPU[meter.ByTable].Seconds()
	}
	if len(c.Plans) > 0 {
		s.Copies = c.Plans
	}
}

// EngineOf returns the statistics of an exploration.
func EngineOf(x *table.Exploration) Engine {
	s := Engine{Copies: []store.Plan{}, counts: runloop.Counts{Asked: runloop.TableEngine, Tables: x.Stats, Plans: x.Plans}}
	s.counts.Events[meter.ByTable] = x.Stats.Steps
	s.settle()
	return s
}
