package stateset

import "math/bits"

// newTree makes a binary tree whose leaves are words: the children of its inner nodes, bottom up, words first, then inner nodes. By a sample of the
// sets of words that change together, few inner nodes are above those of a set: again and again the two subtrees are joined below which the
// fewest sets have a word.
func newTree(words int, together [][]int32) (left, right []int32) {
	level := make([]subtree, words)
	for i := range level {
		level[i] = subtree{root: int32(i), leaves: 1, sets: make([]uint64, (len(together)+63)/64)}
	}
	for k, set := range together {
		for _, word := range set {
			level[word].sets[k/64] |= 1 << (k % 64)
		}
	}
	for len(level) > 1 {
		a, b := 0, 1
		if len(level) <= mostCompared {
			a, b = closest(level)
		}
		left, right = append(left, level[a].root), append(right, level[b].root)
		joined := subtree{int32(words + len(left) - 1), level[a].leaves + level[b].leaves, or(level[a].sets, level[b].sets)}
		level = append(append(append(level[:a:a], level[a+1:b]...), level[b+1:]...), joined)
	}
	return left, right
}

// mostCompared is how many subtrees are compared with one another: that takes time.
const mostCompared = 128

type subtree struct {
	root   int32
	leaves int
	sets   []uint64 // bits of those that have a word below it
}

func or(a, b []uint64) []uint64 {
	c := make([]uint64, len(a))
	for i := range c {
		c[i] = a[i] | b[i]
	}
	return c
}

// closest are the subtrees to be joined first: of equal ones the smallest, and then the first.
func closest(level []subtree) (a, b int) {
	fewest, smallest := -1, 0
	for i := range level {
		for j := range level[:i] {
			n, leaves := 0, level[i].leaves+level[j].leaves
			for k, sets := range level[i].sets {
				n += bits.OnesCount64(sets | level[j].sets[k])
			}
			if fewest < 0 || n < fewest || n == fewest && leaves < smallest {
				fewest, smallest, a, b = n, leaves, j, i
			}
		}
	}
	return a, b
}
