package hashtable

import "github.com/macemc/macemc/internal/test/papers/smr"

// Operations of a [Member] besides those of a table.
const (
	take = "take" // tells what is there, and has it no more
	give = "give"
)

// refused is the answer of who does not have a key. Nobody writes it.
const refused = -1

// Member is what is replicated: a part of the table. It is not changed: operations make others of it.
type Member struct {
	Table smr.Table
	Has   [smr.Keys]bool
}

// Do implements [smr.App].
func (m Member) Do(op smr.Op) (smr.App, int) {
	switch {
	case op.Do == give:
		m.Has[op.Key], op.Do = true, smr.Put
	case !m.Has[op.Key]:
		return m, refused
	case op.Do == take:
		m.Has[op.Key] = false
		return m, m.Table.Entries[op.Key]
	}
	app, value := m.Table.Do(op)
	m.Table = app.(smr.Table)
	return m, value
}
