package variables

import (
	"errors"
	"strconv"
	"strings"

	"github.com/macemc/macemc/mdb/internal/cmdline"
)

// OfSystem is the kind of runs of systems.
type OfSystem struct{}

func (OfSystem) execution(s *Session) (execution, error) {
	switch node := nodeHere(s); {
	case s.Inspect == nil:
		return nil, errors.New("variables are shown for the file of a run that the test of a package checks: a debugger executes that test. " +
			"A bundled system has no test, so use \"state\", \"step\" and \"list\"")
	case s.Run != s.Opened:
		return nil, errors.New("variables are shown in the run of the file; \"save\" writes this one to a file")
	case s.Run.RunsProgram(node):
		return program{s, node}, nil
	default:
		return handlers{s, node}, nil
	}
}

// nodeHere returns the node whose variables are shown. At steps of the network it is the first one.
func nodeHere(s *Session) int {
	switch {
	case s.Scope.node > 0:
		return s.Scope.node - 1
	case s.Node >= 0:
		return s.Node
	}
	return max(int(s.Run.Step(s.Run.At).Ev.Node), 0)
}

func (OfSystem) selectBy(s *Session, words []string) error {
	for _, word := range words {
		if s.Run.IsNode(word) {
			node, err := s.NodeID(word)
			if err != nil {
				return err
			}
			*s.Scope = Scope{node: node + 1}
			continue
		}
		n, err := strconv.Atoi(strings.TrimPrefix(word, "g"))
		if err != nil || n < 1 {
			return cmdline.Usagef("%q is neither a node, such as n1, nor a goroutine, such as g3", word)
		}
		s.Scope.goroutine, s.Scope.frame = n, 0
	}
	return nil
}
