package hashtable

import "github.com/macemc/macemc/internal/test/papers/smr"

// Operations of a [Member] in addition to those of a table.
const (
	take = "take" // returns the value, and gives the key up
	give = "give"
)

// refused is the answer of a member that does not own the key. Clients never write it.
const refused = -1

// Member is the replicated part of the table. It is immutable: operations return a new one.
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
