//go:build !linux

// Elsewhere, files have the times of the real clock.

package os

import "time"

func macemcHasFile(name string) bool                     { return false }
func macemcChangedFile(name string)                      {}
func (f *File) macemcWrites()                            {}
func macemcOpened(name string, flag int, before bool)    {}
func macemcEntryChanged(name string, before, makes bool) {}
func macemcTimesSet(name string, mtime time.Time)        {}
func macemcRenamed(name string, before bool)             {}
func macemcSpares(name string, moves bool) bool          { return false }

func macemcRemoveLeft(restores bool) {}

func macemc_testSpares() {}

func macemc_testSparesNow() {}
