// Package simhook gives packages that execute systems (internal/kernel) access to unexported parts of sim's types. Its
// types are generic where they contain types of sim, which imports it.
package simhook
