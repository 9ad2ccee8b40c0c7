package report

import (
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
)

// shortest says whether fewer steps would do.
func shortest(s *search.Shortest) fact {
	if !s.Least {
		return fact{"shortest:", "unknown", s.Why}
	}
	said := "no shorter run violates anything"
	if s.States > 0 {
		said += ", checked in " + textfmt.Plural(s.States, "state")
	}
	return fact{"shortest:", "yes", said}
}
