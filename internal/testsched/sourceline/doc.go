// Package sourceline reads lines of Go source: what identifies a line, and the text of the operand that an operation in it has. It does not
// parse the file, because it is part of every test binary. Like package testsched, it is added to the Go distribution.
package sourceline
