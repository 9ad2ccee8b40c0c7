package overlay

import (
	"fmt"
	"strings"
)

// fileTimes give the files that a run changes modification times of its clock.
var fileTimes = func() []change {
	const why = "a run has a clock of its own"
	list := []change{
		{"os/stat_linux.go", atStart{"fillFileStatFromSys"}, " macemcShowTimes(&fs.sys); ", why},
		{"os/file_unix.go", atStart{"openFileNolog"},
			" if flag&(O_WRONLY|O_RDWR) != 0 && flag&O_APPEND == 0 && macemcSpares(name, false) { name = DevNull };" +
				" if flag&(O_CREATE|O_TRUNC) != 0 { defer macemcOpened(name, flag, macemcHasFile(name)) }; ", why},
		{"os/file_posix.go", atStart{"Chtimes"}, " defer macemcTimesSet(name, mtime); ", why},
		{"os/file_unix.go", atStart{"Truncate"}, " if macemcSpares(name, false) { return nil }; defer macemcChangedFile(name); ", why},
		{"os/file_unix.go", atStart{"rename"},
			" if macemcSpares(oldname, true) { return nil }; defer macemcEntryChanged(newname, false, false); defer macemcEntryChanged(oldname, macemcHasFile(oldname), false);" +
				" defer macemcRenamed(newname, macemcHasFile(newname)); ", why},
	}
	for _, m := range []string{"write", "pwrite", "Truncate"} {
		list = append(list, change{"os/file_posix.go", atStart{"File." + m}, " f.macemcWrites(); ", why})
	}
	list = append(list, change{"os/file.go", atStart{"File.ReadFrom"}, " f.macemcWrites(); ", why})
	for _, c := range []struct {
		file, function, name string
		makes                bool
	}{
		{"file.go", "Mkdir", "name", true}, {"file_unix.go", "Symlink", "newname", true}, {"file_unix.go", "Link", "newname", false},
		{"file_unix.go", "Remove", "name", false}, {"path.go", "RemoveAll", "path", false},
	} {
		text := fmt.Sprintf(" defer macemcEntryChanged(%[1]s, macemcHasFile(%[1]s), %t); ", c.name, c.makes)
		switch {
		case c.function == "Link":
			text = " if macemcSpares(oldname, true) { return nil };" + text
		case strings.HasPrefix(c.function, "Remove"):
			text = fmt.Sprintf(" if macemcSpares(%s, false) { return nil };", c.name) + text
		}
		list = append(list, change{"os/" + c.file, atStart{c.function}, text, why})
	}
	return list
}()
