// Package facts is a program that reports what it sees of its machine: files, sockets, time, signals, its own process. A node must see the
// same as the program in plain Go. The test compares the two.
package facts
