// Package world implements kernel.World by looking steps up in tables.
//
// [World] holds a vector of component numbers and changes it by steps. Lists of enabled events are kept for each
// local state, inbox and connection, in the order of the replay engine. The replay engine executes a sample of the
// runs as well, and every step of these is compared.
package world
