package textfmt

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Near returns the known names that are similar to name: those that differ by case only, those that begin with it, and
// those within a small edit distance; nearest first, at most three.
func Near(name string, known []string) []string {
	type candidate struct {
		name     string
		distance int
	}
	var near []candidate
	lower := strings.ToLower(name)
	for _, k := range known {
		lk := strings.ToLower(k)
		d := distance(lower, lk)
		if d > 1+len(k)/4 && !(len(lower) >= 2 && strings.HasPrefix(lk, lower)) {
			continue
		}
		near = append(near, candidate{k, d})
	}
	slices.SortStableFunc(near, func(a, b candidate) int { return cmp.Compare(a.distance, b.distance) })
	names := make([]string, 0, 3)
	for _, c := range near[:min(3, len(near))] {
		names = append(names, c.name)
	}
	return names
}

// Unknown returns the error for a name that is not known. what is its subject, such as "unknown system". The error
// lists similar names or, if there are none, all.
func Unknown(what, name string, known []string) error {
	if near := Near(name, known); len(near) > 0 {
		return fmt.Errorf("%s %q; did you mean %s?", what, name, strings.Join(near, " or "))
	}
	if len(known) == 0 {
		return fmt.Errorf("%s %q; there are none", what, name)
	}
	return fmt.Errorf("%s %q; known are %s", what, name, strings.Join(known, ", "))
}

// distance returns the number of bytes to insert, delete, replace or swap with a neighbour to transform a into b
// (optimal string alignment).
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			replace := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				replace++
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, replace)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
