package lock

import (
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
)

// Server is the shell: it serializes the calls of the core by the goroutines of net/http and of timers.
type Server struct {
	mu     sync.Mutex
	core   Core
	timers map[any]*time.Timer
}

// SetTimer implements [Effects]. The core's call is still in progress.
func (s *Server) SetTimer(t any, after time.Duration) {
	if s.timers == nil {
		s.timers = map[any]*time.Timer{}
	}
	s.timers[t] = time.AfterFunc(after, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.timers[t] != nil { // otherwise it was stopped while this waited
			delete(s.timers, t)
			s.core.Expire(t.(Expiry))
		}
	})
}

// StopTimer implements [Effects].
func (s *Server) StopTimer(t any) {
	if timer := s.timers[t]; timer != nil {
		timer.Stop()
		delete(s.timers, t)
	}
}

// ServeHTTP answers POST /acquire?client=C and POST /release?client=C&token=T.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request any
	switch client := r.FormValue("client"); r.URL.Path {
	case "/acquire":
		request = Acquire{client}
	case "/release":
		token, err := strconv.Atoi(r.FormValue("token"))
		if err != nil {
			http.Error(w, "the token is not a number", http.StatusBadRequest)
			return
		}
		request = Release{client, token}
	default:
		http.NotFound(w, r)
		return
	}
	s.mu.Lock()
	answer := s.core.Handle(s, request)
	s.mu.Unlock()
	if !answer.OK {
		w.WriteHeader(http.StatusConflict)
	}
	_ = json.NewEncoder(w).Encode(answer)
}
