package explore

import (
	"context"
	"fmt"
)

// replay brings the exploration to the end of the log. It expands only cache fillers and the logged states from which
// new ones were found, and follows only the edges that led to new states. New states are checked as usual.
func (l *Loop) replay(ctx context.Context) error {
	j := l.journal
	j.replay = true
	for b, err := range j.log.Blocks() {
		if err != nil {
			return &LogError{err}
		}
		if err := l.replayBlock(ctx, b); err != nil || l.out.Stopped != "" {
			return err
		}
	}
	if l.waiting != nil {
		l.waiting.due = true
		if err := l.leave(ctx); err != nil || l.out.Stopped != "" {
			return err
		}
	}
	j.replay = false
	j.met, j.logged = j.graph.Visit(), l.mark()
	j.graph.Resumed()
	return nil
}

func (l *Loop) replayBlock(ctx context.Context, b *Block) error {
	j, fillers := l.journal, b.CacheFillers
	j.at = 0
	if l.out.States == 0 {
		if err := l.roots(ctx, b); err != nil || l.out.Stopped != "" {
			return err
		}
	}
	for l.open < b.Expanded {
		if !l.next() {
			if err := l.flush(ctx); err != nil || l.out.Stopped != "" {
				return err
			}
			if !l.frontier.More() {
				return l.changed("the log continues where no state waits")
			}
			continue
		}
		var filler *CacheFiller
		if len(fillers) > 0 && fillers[0].ID == l.item.ID {
			filler, fillers = &fillers[0], fillers[1:]
		}
		if err := l.retrace(ctx, b, filler); err != nil || l.out.Stopped != "" {
			return err
		}
		l.open++
		if err := l.proceed(ctx); err != nil || l.out.Stopped != "" {
			return err
		}
	}
	if err := l.flush(ctx); err != nil || l.out.Stopped != "" {
		return err
	}
	switch {
	case j.at < len(b.Origins) || len(fillers) > 0 || l.out.States != b.States:
		return l.changed("the log names states that are not there")
	case j.digest != b.Digest:
		return l.changed(fmt.Sprintf("among the %d states before number %d some are others", len(b.Origins), b.States))
	}
	l.out.Transitions, l.out.Steps, l.out.Expanded = b.Transitions, b.Steps, b.Expanded
	return nil
}

func (l *Loop) changed(how string) error {
	return &ChangedError{"the states are not those of the log: " + how}
}

// wanted lists the logged edge indexes from a state, or of the roots.
func (j *journal) wanted(b *Block, from uint32) []uint32 {
	j.edgeIndexes = j.edgeIndexes[:0]
	for ; j.at < len(b.Origins) && b.Origins[j.at].From == from; j.at++ {
		j.edgeIndexes = append(j.edgeIndexes, b.Origins[j.at].EdgeIndex)
	}
	return j.edgeIndexes
}

// retrace follows the logged edges from a state.
func (l *Loop) retrace(ctx context.Context, b *Block, filler *CacheFiller) error {
	j, item := l.journal, &l.item
	edges := j.wanted(b, item.ID+1)
	if l.opts.MaxDepth > 0 && int(item.Depth) >= l.opts.MaxDepth {
		return fmt.Errorf("the log goes deeper than %d steps already", l.opts.MaxDepth)
	}
	l.out.Depth = max(l.out.Depth, int(item.Depth))
	if len(edges) == 0 && filler == nil {
		return nil
	}
	tree, _, _ := l.enter(item)
	batch := l.batch
	state := tree[:batch.words]
	from := len(batch.Ends)
	batch.enter(tree, item.ID)
	batch.depth, batch.By = item.Depth+1, item.By
	err := l.graph.Expand(state, -1, &batch.Edges)
	if err == nil && filler != nil && j.row(state, &batch.Edges, from) != filler.Row {
		err = l.changed(fmt.Sprintf("state %d leads elsewhere", item.ID))
	}
	if err == nil {
		err = l.follow(from, edges)
	}
	if err != nil {
		batch.Truncate(from)
	}
	batch.leave()
	if err != nil {
		return l.failed(ctx, item, err)
	}
	return nil
}

// follow keeps only the logged edges, from an index on.
func (l *Loop) follow(from int, edges []uint32) error {
	b, t := l.batch, from
	l.keep = l.keep[:0]
	for _, edge := range edges {
		for t < len(b.Ends) && b.EdgeIndexes[t] != edge {
			t++
		}
		if t == len(b.Ends) {
			return l.changed(fmt.Sprintf("a state has %d edges, and the log names number %d", b.EdgeIndex, edge))
		}
		l.keep = append(l.keep, uint32(t-from))
		t++
	}
	b.Keep(from, l.keep)
	return nil
}
