// Package memdisk models the disk of a node.
package memdisk
