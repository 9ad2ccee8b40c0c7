// Package outfile writes the files of commands. A file appears completely or not at all.
package outfile
