// Package durable stores searches that survive their process. A folder has a lock, a manifest that describes the search,
// and its results: a log of the states (states.log), or the reports of finished batches of runs (runs-*.json) with the
// progress of deepening in them (reach-*). A search exists once its manifest does. What a kill leaves incomplete, a block
// at the end of states.log or a batch without its runs-*.json, is ignored and searched again. The kernel releases the lock.
package durable
