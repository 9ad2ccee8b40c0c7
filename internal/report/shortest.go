package report

import (
	"github.com/macemc/macemc/internal/textfmt"
	"github.com/macemc/macemc/search"
)

// shortest says whether fewer steps would do.
func shortest(s *search.Shortest) fact {
	if !s.Least {
		return fact{"shortest:", "not known", s.Why}
	}
	said := "fewer steps violate nothing"
	if s.States > 0 {
		said += ", as " + textfmt.Plural(s.States, "state") + " say"
	}
	return fact{"shortest:", "yes", said}
}
