// Package world implements kernel.World by looking steps up in tables.
//
// [World] holds a vector of component numbers and takes steps on it. Enabled events are lists that are kept
// for each local state, inbox and connection, in the order of the replay engine. A sample of the runs is
// executed by the replay engine as well, and every step of these is compared.
package world
