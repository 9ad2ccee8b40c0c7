package store

// Pages is a list that grows without copying its elements. They are full of pointers, and copying these is
// expensive during garbage collection.
type Pages[T any] struct {
	list [][]T
	n    int
}

const pageSize = 1 << 8

// At returns a pointer to an element. It remains valid.
func (p *Pages[T]) At(i uint32) *T { return &p.list[i/pageSize][i%pageSize] }

func (p *Pages[T]) Len() int { return p.n }

// Add appends an element, and returns its index.
func (p *Pages[T]) Add(v T) uint32 {
	if p.n%pageSize == 0 {
		p.list = append(p.list, make([]T, 0, pageSize))
	}
	last := &p.list[len(p.list)-1]
	*last = append(*last, v)
	p.n++
	return uint32(p.n - 1)
}
