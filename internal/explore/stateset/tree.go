package stateset

import "math/bits"

// newTree makes a binary tree with words as leaves: the children of its inner nodes, bottom up, words first, then inner
// nodes. The sample together of sets of words that change together keeps the number of inner nodes above such a set
// low. The construction repeatedly joins the two subtrees for which the fewest sets have a word below.
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

// mostCompared is the maximum number of subtrees compared with each other, to limit the time.
const mostCompared = 128

type subtree struct {
	root   int32
	leaves int
	sets   []uint64 // bits of the sets that have a word below it
}

func or(a, b []uint64) []uint64 {
	c := make([]uint64, len(a))
	for i := range c {
		c[i] = a[i] | b[i]
	}
	return c
}

// closest returns the subtrees to be joined first. Among equal ones it prefers the smallest, and then the first.
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
