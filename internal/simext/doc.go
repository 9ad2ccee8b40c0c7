// Package simext declares optional interfaces of services that run code of users: state machines (package machine),
// ordinary programs (package bubble), and other hosts, and of network models. It parses the options of systems.
package simext
