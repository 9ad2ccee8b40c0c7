package task

import (
	"strings"
	"testing"

	"github.com/macemc/macemc/search"
)

// Options that workers do not support are rejected by name.
func TestClusterRefuses(t *testing.T) {
	for _, c := range []struct {
		set  func(*Search)
		says string
	}{
		{func(s *Search) {}, ""},
		{func(s *Search) { s.Config.Strategy = "dfs" }, "dfs"},
		{func(s *Search) { s.Config.Strategy = "" }, "deepening"},
		{func(s *Search) { s.Durable, s.Given = "dir", Given{"durable"} }, "--durable"},
		{func(s *Search) { s.KeepGoing, s.Given = true, Given{"keep-going"} }, "--keep-going"},
		{func(s *Search) { s.Memory, s.Given = 100, Given{"memory"} }, "macemc worker"},
		{func(s *Search) { s.Config.Reduce, s.Given = "full", Given{"reduce"} }, "--reduce full"},
		{func(s *Search) { s.Config.Reduce, s.Given = "auto", Given{"reduce"} }, "--reduce auto"},
		{func(s *Search) { s.Config.Reduce, s.Given = "none", Given{"reduce"} }, ""},
		{func(s *Search) { s.Config.Symmetry = true }, "--symmetry"},
		{func(s *Search) { s.Cluster.Replicas, s.Given = 2, Given{"replicas"} }, "1 or 3"},
		{func(s *Search) { s.Cluster.Replicas, s.Given = 3, Given{"replicas"} }, ""},
		{func(s *Search) { s.Cluster, s.Given = Cluster{}, Given{"replicas"}; s.Cluster.Replicas = 3 }, "--cluster"},
		{func(s *Search) { s.Config.Visited = "exact" }, "--visited exact"},
		{func(s *Search) { s.Config.Visited = "64" }, ""},
	} {
		s := Search{Config: search.Config{Strategy: "bfs", Seed: 1}, Cluster: Cluster{URL: "nats://127.0.0.1:4222"}}
		c.set(&s)
		if s.Cluster.URL != "" {
			s.Given = append(s.Given, "cluster")
		}
		if err := s.Validate(); (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%q: %v", c.says, err)
		}
	}
}
