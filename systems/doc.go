// Package systems lists the bundled systems.
package systems
