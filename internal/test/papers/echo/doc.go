// Package echo is the echo multicast of Reiter, among receivers and initiators of which some are Byzantine: what two honest
// receivers deliver of one initiator is the same.
//
// # Protocol
//
// An initiator sends its value to all receivers. A receiver confirms the first value that it hears of an initiator. With
// confirmations of enough receivers, (n+t+2)/2 of n of which t = (n-1)/3 may be Byzantine, the initiator has all receivers
// deliver the value. Receivers are the first nodes, honest ones before Byzantine ones, then come the initiators alike.
//
// A Byzantine initiator sends value 1 to half of the honest receivers, value 2 to the others, and delivers whatever it gets confirmed.
// A Byzantine receiver confirms nothing valid to honest initiators, and both values to Byzantine ones.
//
// # Source
//
// Reiter, "Secure agreement protocols: reliable and atomic group multicast in Rampart" (CCS 1994), in the form of Bokor, Kinder,
// Serafini, Suri, "Efficient Model Checking of Fault-Tolerant Distributed Protocols" (DSN-DCCS 2011), with its settings
// (honest receivers, honest initiators, Byzantine receivers, Byzantine initiators): (3,0,1,1), (2,1,0,1), (3,1,1,1) and (2,1,2,1), in the last
// of which there are too many Byzantine receivers: "wrong agreement".
//
// # Simplifications
//
//   - Every initiator sends one value.
//   - Confirmations are counted, whoever sends them: the network must not duplicate datagrams.
//
// # Properties
//
// Always: agreement. Sometimes: a value is delivered.
//
// With the defaults, (3,1,1,1), it has 28,702 states.
package echo
