package document

import (
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
)

// shortest describes whether a shorter run exists.
func shortest(s *search.Shortest) Fact {
	if !s.Least {
		return Fact{"shortest:", "unknown", s.Why}
	}
	said := "no shorter run violates a property"
	if s.States > 0 {
		said += ", checked in " + textfmt.Plural(s.States, "state")
	}
	return Fact{"shortest:", "yes", said}
}
