// Package durable stores searches that survive their process. A folder has a lock, a manifest that describes the search,
// and its results. Which results depends on the strategy.
//
//	manifest.json  the search exists once this file does; written aside and renamed (writeWhole)
//	states.log     of bfs: blocks of states, each with a checksum; package internal/explore/statelog
//	runs-*.json    of other strategies: the report of a finished batch of runs, written aside and renamed
//	reach-*        of deepening: the progress made by a batch; written before its runs-*.json
//
// The commit points are therefore a whole block with a valid checksum, and a file runs-*.json. What a kill leaves
// incomplete, a block at the end of states.log or a batch without its runs-*.json, is ignored and searched again. The log
// is synced at intervals, which matters after a power failure only. The kernel releases the lock.
//
// On a full disk the last whole block or batch stays. The search ends out of resources with "the disk is full" (exit
// status 4): noRoom in search/stateful.go, and internal/task/durable_walks.go. --resume continues it.
//
// Package internal/explore continues from states.log (its replay.go); package internal/task from batches
// (durable_walks.go).
//
// # Files
//
//	folder.go    Open: folders with states; Folder is an explore.Log
//	walks.go     OpenRuns: folders with runs
//	manifest.go  the manifest, and which changes to a search it rejects
package durable
