// Package outfolder makes the folders of findings. A folder gets its name only when it is complete. Nothing that exists is overwritten,
// except findings that a check replaces.
package outfolder
