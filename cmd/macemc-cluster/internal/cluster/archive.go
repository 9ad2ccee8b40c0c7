package cluster

import (
	"context"
	"fmt"

	"github.com/macemc/macemc/internal/table/shard"
)

// archive reads states of any part from the logs.
type archive struct {
	*run
	shard  *shard.Shard
	blocks [parts]loadedBlock // the last blocks read
}

// loadedBlock is a block with its states.
type loadedBlock struct {
	block
	vectors []uint32
}

// state returns a state in the log of a part. It calls stateOf for the sources of states.
func (a *archive) state(ctx context.Context, part, number int, stateOf func(part, number uint32) ([]uint32, error)) ([]uint32, error) {
	words := a.shard.Words()
	if k := &a.blocks[part]; number >= k.first && number < k.first+len(k.vectors)/words {
		return k.vectors[(number-k.first)*words:][:words], nil
	}
	b, err := a.blockOf(ctx, part, number)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errUnread, err)
	}
	vectors, _, err := a.shard.Unpack(b.states, stateOf)
	if err != nil {
		return nil, err
	}
	if number-b.first >= len(vectors)/words {
		return nil, fmt.Errorf("%w: part %d has no state %d", errUnread, part, number)
	}
	a.blocks[part] = loadedBlock{b, vectors}
	return vectors[(number-b.first)*words:][:words], nil
}
