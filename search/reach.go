package search

import (
	"encoding/binary"
	"encoding/json"
	"errors"

	"github.com/macemc/macemc/internal/encoding"
	"github.com/macemc/macemc/internal/search/fpset"
	"github.com/macemc/macemc/internal/search/stats"
)

// Reach is the progress of deepening: the states that it has seen, and the unexplored rest. A search can continue from
// it, see [Config]. It can be transferred to another process in pieces: each [Reach.Encode] returns the additions since
// the last one.
type Reach struct {
	at    *tree // nil if deepening has not begun
	seen  *fpset.Set
	fresh *fpset.Set // the part of seen that was added since the last piece
	work  int
}

// NewReach returns the start of deepening.
func NewReach() *Reach { return &Reach{seen: fpset.New(), fresh: fpset.New()} }

// Sampled reports whether deepening is complete, except for alternatives outside the samples of large draws.
func (r *Reach) Sampled() bool { return r.at != nil && r.at.stopped() == stats.StoppedSampled }

// tree returns the tree at which deepening continues, or begin if it has not begun.
func (r *Reach) tree(begin *tree) *tree {
	if r == nil {
		return begin
	}
	if r.at != nil {
		begin.reached = r.at.reached
	}
	r.at = begin
	return begin
}

func (r *Reach) visited() *fpset.Set {
	if r == nil {
		return fpset.New()
	}
	return r.seen
}

func (r *Reach) worked() int {
	if r == nil {
		return 0
	}
	return r.work
}

func (r *Reach) add(work int) {
	if r != nil {
		r.work += work
	}
}

func (r *Reach) need(more int) int {
	if r == nil {
		return 0
	}
	return r.fresh.Need(more)
}

func (r *Reach) saw(states *fpset.Set) {
	if r != nil {
		r.fresh.AddAll(states)
	}
}

// reachHead is the start of a piece.
type reachHead struct {
	Work int `json:"work"`
	reached
}

const seenBytes = 18 // fingerprint and information

// Encode returns the additions to the pieces that were written before. It is called between searches.
func (r *Reach) Encode() ([]byte, error) {
	if r.at == nil {
		return nil, errors.New("iterative deepening has not started")
	}
	head, err := json.Marshal(reachHead{r.work, r.at.reached})
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, binary.MaxVarintLen64+len(head)+seenBytes*r.fresh.N)
	out = append(binary.AppendUvarint(out, uint64(len(head))), head...)
	for i, info := range r.fresh.Info {
		if info != 0 {
			out = binary.LittleEndian.AppendUint64(out, r.fresh.Keys[i].Lo)
			out = binary.LittleEndian.AppendUint64(out, r.fresh.Keys[i].Hi)
			out = binary.LittleEndian.AppendUint16(out, uint16(info))
		}
	}
	r.fresh.Reset()
	return out, nil
}

var errReach = errors.New("the saved state of iterative deepening is corrupt")

// Decode adds a piece. Pieces are added in the order in which they were written.
func (r *Reach) Decode(piece []byte) error {
	n, k := binary.Uvarint(piece)
	if k <= 0 || n > uint64(len(piece)-k) {
		return errReach
	}
	head, states := piece[k:k+int(n)], piece[k+int(n):]
	var kept reachHead
	if err := json.Unmarshal(head, &kept); err != nil {
		return err
	}
	if len(states)%seenBytes != 0 {
		return errReach
	}
	for ; len(states) > 0; states = states[seenBytes:] {
		f := encoding.Fingerprint{Lo: binary.LittleEndian.Uint64(states), Hi: binary.LittleEndian.Uint64(states[8:])}
		r.seen.Add(f, fpset.Info(binary.LittleEndian.Uint16(states[16:])))
	}
	for _, u := range kept.Pending {
		u.phase, u.Bound = deepeningPhase, kept.Bound
	}
	r.work, r.at = kept.Work, &tree{reached: kept.reached, most: fpset.MaxDepth}
	return nil
}
