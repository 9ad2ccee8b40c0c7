// Package tagged has code in tests and behind a build tag.
package tagged
