package steptree

import "github.com/macemc/macemc/internal/table/store"

// enterHandler records the call of a handler.
func (e *Engine) enterHandler(kind int, s *store.Situation) (before uint64, err error) {
	if e.Calls == nil {
		return 0, nil
	}
	e.Buf = e.AppendSituation(s, e.Buf[:0])
	return e.Calls.Enter(kind, store.ContentHash(e.Buf))
}
