// Package program reads the program that it is a part of: its package variables, what the frames of its stacks belong to, and lines of its
// source, with what identifies a line and the text of the operand of an operation in it. It does not parse files, because it is part of every test binary. Like package testsched, it is
// added to the Go distribution.
package program
