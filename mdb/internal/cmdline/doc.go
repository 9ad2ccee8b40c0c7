// Package cmdline parses the command lines of the debugger: words, regular expressions, conditions and settings.
package cmdline
