// Package filetree implements the data directory of a node: files and directories, their changes, and the changes that a crash leaves.
package filetree
