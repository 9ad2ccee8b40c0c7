// Package wire encodes and decodes messages. Decoding untrusted data is safe: it allocates memory in proportion to
// the data and never panics.
package wire
