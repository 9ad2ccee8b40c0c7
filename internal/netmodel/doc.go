// Package netmodel is the interface between the engines that execute systems and the networks of package netsim: what
// can happen next ([Event]), messages in flight ([Message]) and their ends ([Fate]), the state of a network ([Model]), and
// the parts that the table engine stores one by one ([Parted], [Queued]).
package netmodel
