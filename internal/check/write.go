package check

import (
	"bytes"
	"cmp"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/macemc/macemc/internal/check/outfolder"
	"github.com/macemc/macemc/internal/infile"
	"github.com/macemc/macemc/internal/outfile"
	"github.com/macemc/macemc/internal/pathfile"
	"github.com/macemc/macemc/internal/report"
	"github.com/macemc/macemc/internal/report/document"
	"github.com/macemc/macemc/internal/report/render"
	"github.com/macemc/macemc/internal/version"
)

func (c *checker) folder() outfolder.Folder {
	return outfolder.Folder{Dir: c.Dir, Root: outfolder.Root, Several: c.KeepGoing,
		Replace: c.Replace && !c.replaced, Numbered: true}
}

// write makes the output folder of a finding and records its name in the report.
func (c *checker) write(r *report.Report, f files) error {
	c.tell("writing the report")
	c.returnHome()
	if err := keep(r, f); err != nil {
		return err
	}
	where := c.folder()
	if c.Replace && !c.KeepGoing {
		if text, err := infile.Read(filepath.Join(c.Dir, outfolder.ErrorPath)); err == nil && string(text) == r.PathText {
			c.placed(r, c.Dir, f)
			c.suspectFile.supersede(r, c.Dir)
			_ = os.Chtimes(filepath.Join(c.Dir, outfolder.ErrorPath), time.Time{}, time.Now()) // it is the newest finding again
			return nil
		}
	}
	name := outfolder.Slug(r.System, cmp.Or(r.Property, string(r.Kind)))
	if dir := cmp.Or(c.unshrunkDir, c.suspectFile.folder(name)); dir != "" && !where.Replace {
		where = outfolder.Folder{Dir: dir, Replace: true}
	}
	dir, err := where.Write(name, func(temp, dir string) error {
		c.placed(r, dir, f)
		return f.writeTo(temp, r)
	})
	if err != nil {
		r.LivePathFile = ""
		c.leave(r)
		if r.Shrunk != nil {
			r.Shrunk.Original = ""
		}
		return err
	}
	c.replaced = true
	if c.tempDir != "" { // an earlier attempt failed
		os.RemoveAll(c.tempDir)
		c.tempDir = ""
	}
	c.suspectFile.supersede(r, dir)
	switch {
	case c.Root != "":
		return outfolder.Ignore(c.Root)
	case c.Dir == "":
		return outfolder.Ignore(outfolder.Root)
	}
	return nil
}

// writeTo writes the path files and the report to a folder.
func (f *files) writeTo(dir string, r *report.Report) error {
	texts := map[string]string{outfolder.ErrorPath: r.PathText, outfolder.LivePath: r.LivePathText}
	if f.original != nil {
		text, err := content(f.original)
		if err != nil {
			return err
		}
		texts[outfolder.Original] = string(text)
	}
	d := document.New(r, nil)
	for _, format := range render.FolderFormats() {
		var b strings.Builder
		if err := format.Render(&b, d); err != nil {
			return err
		}
		texts[outfolder.ReportStem+format.Ext] = b.String()
	}
	for _, name := range slices.Sorted(maps.Keys(texts)) { // so that the error names the same file each time
		text := texts[name]
		if text == "" {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// leave records a path file in a report with files that could not be written. It is the file of the run as found,
// that of the suspect under examination, or else a new one in the folder for temporary files.
func (c *checker) leave(r *report.Report) {
	r.PathFile, r.Commands = c.suspectFile.name(), report.Commands{}
	if c.unshrunkDir != "" {
		r.PathFile = filepath.Join(c.unshrunkDir, outfolder.ErrorPath)
	}
	if r.PathFile == "" && r.PathText != "" {
		r.PathFile = c.leaveText(r.PathText)
	}
	if c.Commands != nil && r.PathFile != "" {
		r.Commands.Look = c.Commands(r.PathFile).Look
	}
}

// keep stores the content of the path files in the report.
func keep(r *report.Report, f files) error {
	text, err := content(f.error)
	if err != nil {
		return err
	}
	r.PathText, r.LivePathText = string(text), ""
	if f.live != nil {
		if text, err = content(f.live); err != nil {
			return err
		}
		r.LivePathText = string(text)
	}
	return nil
}

// placed records the present or future names of the files.
func (c *checker) placed(r *report.Report, dir string, f files) {
	r.PathFile, r.LivePathFile = filepath.Join(dir, outfolder.ErrorPath), ""
	if f.live != nil {
		r.LivePathFile = filepath.Join(dir, outfolder.LivePath)
	}
	if f.original != nil {
		r.Shrunk.Original = filepath.Join(dir, outfolder.Original)
	}
	if c.Commands != nil {
		r.Commands = c.Commands(r.PathFile)
	}
}

func content(f *pathfile.File) ([]byte, error) {
	var b bytes.Buffer
	f.Header.Program = version.Current().String()
	_, err := f.WriteTo(&b)
	return b.Bytes(), err
}

// leaveText writes the text of a path file to the folder for temporary files, over that of an earlier call. It returns the name of
// the file; an empty string means that none could be written.
func (c *checker) leaveText(text string) string {
	if c.tempDir == "" {
		dir, err := os.MkdirTemp("", "macemc-finding-")
		if err != nil {
			return ""
		}
		c.tempDir = dir
	}
	file := filepath.Join(c.tempDir, outfolder.ErrorPath)
	if err := outfile.Replace(file, []byte(text), 0o644); err != nil {
		if _, err := os.Stat(file); err != nil { // no earlier text is left
			os.Remove(c.tempDir)
			c.tempDir = ""
			return ""
		}
	}
	return file
}
