// Package words writes numbers for people.
package words

import "strconv"

// Number writes n with a comma between groups of three digits.
func Number(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Plural writes "1 step" or "1,200 steps".
func Plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return Number(n) + " " + what
}
