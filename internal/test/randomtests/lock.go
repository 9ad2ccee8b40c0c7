package randomtests

// locks are the two mutexes and the RWMutex of a state.
type locks struct {
	owner   [2]int // of mutexes: a goroutine and 1
	writer  int    // of the RWMutex: who holds it or waits for its readers, and 1
	readers int    // goroutines that hold it
	waiting [4]bool
	before  int // readers for which the writer waits
}

// mutex executes an operation of a mutex, if that is possible.
func mutex(s *state, g int, o op) bool {
	switch {
	case o.kind == unlock || s.phase[g] == 1:
		s.order.release(g, ofMutex+o.arg)
		s.owner[o.arg] = 0
		s.finish(g, s.phase[g])
	case s.owner[o.arg] > 0:
		if o.kind == lock {
			return false
		}
		s.finish(g, 0)
	default:
		s.order.acquire(g, ofMutex+o.arg)
		s.owner[o.arg] = g + 1
		if s.phase[g] = 1; o.kind == lock {
			s.finish(g, 0)
		}
	}
	return true
}

// rwmutex executes an operation of the RWMutex. A writer first keeps others out, then waits for readers.
func rwmutex(s *state, g int, o op) bool {
	switch o.kind {
	case rlock:
		if s.writer > 0 {
			s.parked[g], s.waiting[g] = true, true
			return true
		}
		s.order.acquire(g, ofReaders)
		s.readers++
		s.finish(g, 0)
	case runlock:
		s.order.merge(g, ofWriters)
		s.readers--
		if s.before > 0 {
			s.before--
		}
		s.finish(g, 0)
	case wlock:
		if s.phase[g] == 0 && s.writer > 0 || s.phase[g] == 1 && s.before > 0 {
			return false
		}
		if s.phase[g] == 0 {
			s.writer, s.before, s.phase[g] = g+1, s.readers, 1
			return true
		}
		s.order.acquire(g, ofReaders)
		s.order.acquire(g, ofWriters)
		s.finish(g, 0)
	case wunlock:
		s.order.release(g, ofReaders)
		s.writer = 0
		for r := range s.waiting {
			if s.waiting[r] {
				s.waiting[r] = false
				s.readers++
				s.order.acquire(r, ofReaders)
				s.finish(r, 0)
			}
		}
		s.finish(g, 0)
	}
	return true
}
