package declared

import "fmt"

// Asker is a function of a system that evaluates a state, which it may only read.
type Asker interface {
	// Question names the function.
	Question() string
}

func (a *Action) Question() string {
	if a.Name == "" { // it stands for the steps of a service
		return "Ready of the service"
	}
	return fmt.Sprintf("the When of action %q", a.Name)
}

// askedQuorum is one of the functions of a quorum.
type askedQuorum struct{ quorum, function string }

func (a askedQuorum) Question() string {
	return fmt.Sprintf("the %s of quorum %q", a.function, a.quorum)
}

func (q *Quorum) Asked(function string) Asker { return askedQuorum{q.Name, function} }
