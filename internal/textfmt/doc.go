// Package textfmt formats numbers and texts for people.
package textfmt
