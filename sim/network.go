package sim

import "errors"

// ErrFull is returned by [Stream.Send] when the send buffer has no room.
var ErrFull = errors.New("send buffer is full")

// ErrReset is the connection error after a socket error, or after the peer crashed or closed the connection.
var ErrReset = errors.New("connection reset")

// ErrRefused is the connection error after sending to a node that is down.
var ErrRefused = errors.New("connection refused")

// Network is a model of the network, as data. Package netsim has the networks. What it returns in Start, see
// internal/netmodel, is the state of the network in a run.
type Network interface {
	// Validate returns an error if the network is invalid for a system with the given number of nodes.
	Validate(nodes int) error
	// Limits returns the limits of network faults. Crashes and Halts are 0.
	Limits() Limits
	// WithLimits returns the network with other limits. It fails if the network lacks a limited fault.
	WithLimits(Limits) (Network, error)
}

// MessageID identifies a message from send to fate within one run, counted from 1. A copy made by the network has its
// own.
type MessageID int32

// Envelope is a message in flight, for properties and for display.
type Envelope struct {
	From, To NodeID
	Msg      any
	ID       MessageID
	Stream   bool
}
