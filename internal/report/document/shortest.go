package document

import (
	"github.com/macemc/macemc/internal/search/stats"
	"github.com/macemc/macemc/internal/textfmt"
)

// shortest describes whether a shorter run exists.
func shortest(s *stats.Shortest) Fact {
	if !s.Least {
		return Fact{"shortest:", "unknown", s.Why}
	}
	said := "no shorter run violates a property"
	if s.States > 0 {
		said += ", checked in " + textfmt.Plural(s.States, "state")
	}
	return Fact{"shortest:", "yes", said}
}
