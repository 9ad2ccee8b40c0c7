// Package aliasing finds memory that two services both refer to.
package aliasing
