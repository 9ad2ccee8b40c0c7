// Package etcdraft is go.etcd.io/raft/v3, the consensus library of etcd, behind an adapter.
package etcdraft
