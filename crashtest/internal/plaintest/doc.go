// Package plaintest writes tests that need no checker: they open a store with the files that survived a crash.
package plaintest
