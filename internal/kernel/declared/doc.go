// Package declared reads the declarations of a system and its services.
package declared
