// Package shard explores the part of a state space that one of several processes owns.
//
// States are packed for other processes as hashes of content. A process that lacks some content creates it by
// executing the steps that lead there, so nothing needs to be decoded. [ChoosePartNodes] chooses the nodes by which states are
// partitioned so that few steps lead from one part to another.
package shard
