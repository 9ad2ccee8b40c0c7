// Package echo is the echo multicast of Reiter, in which some receivers and initiators are Byzantine: two
// honest receivers deliver the same value of an initiator.
//
// # Protocol
//
// An initiator sends its value to all receivers. A receiver confirms the first value that it gets from an
// initiator. With (n+t+2)/2 confirmations of n receivers, of whom t = (n-1)/3 may be Byzantine, the initiator
// makes all receivers deliver the value. Receivers are the first nodes, honest before Byzantine ones. The
// initiators follow in the same order.
//
// A Byzantine initiator sends value 1 to half of the honest receivers and value 2 to the others, and makes
// receivers deliver each value that is confirmed. A Byzantine receiver confirms nothing valid to honest initiators,
// and both values to Byzantine ones.
//
// # Source
//
// Reiter, "Secure agreement protocols: reliable and atomic group multicast in Rampart" (CCS 1994), in the form of
// Bokor, Kinder, Serafini, Suri, "Efficient Model Checking of Fault-Tolerant Distributed Protocols" (DSN-DCCS
// 2011), with its settings (honest receivers, honest initiators, Byzantine receivers, Byzantine initiators):
// (3,0,1,1), (2,1,0,1), (3,1,1,1) and (2,1,2,1). The last one has too many Byzantine receivers: "wrong agreement".
//
// # Simplifications
//
//   - Every initiator sends one value.
//   - Confirmations are counted regardless of the sender: the network must not duplicate datagrams.
//
// # Properties
//
// Always: agreement. Sometimes: a value is delivered.
//
// With the defaults, (3,1,1,1), it has 28,702 states.
package echo
