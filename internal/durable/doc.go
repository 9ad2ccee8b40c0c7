// Package durable stores searches that survive their process. A folder has a manifest that describes the search, a
// log of its states, and a lock.
package durable
