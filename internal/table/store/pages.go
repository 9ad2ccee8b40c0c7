package store

// Pages is a list that grows without being copied: what lies in it is full of pointers, and to copy these costs much while the
// collector of memory is at work.
type Pages[T any] struct {
	list [][]T
	n    int
}

const pageSize = 1 << 8

// At is the element with that number. It stays where it is.
func (p *Pages[T]) At(i uint32) *T { return &p.list[i/pageSize][i%pageSize] }

func (p *Pages[T]) Len() int { return p.n }

// Add appends an element, and returns its number.
func (p *Pages[T]) Add(v T) uint32 {
	if p.n%pageSize == 0 {
		p.list = append(p.list, make([]T, 0, pageSize))
	}
	last := &p.list[len(p.list)-1]
	*last = append(*last, v)
	p.n++
	return uint32(p.n - 1)
}
