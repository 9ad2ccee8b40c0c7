package check

import (
	"bytes"
	"cmp"
	"os"
	"path/filepath"
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

func (o *Options) folder() outfolder.Folder {
	return outfolder.Folder{Dir: o.Dir, Root: outfolder.Root, Several: o.KeepGoing,
		Replace: o.Replace && !o.replaced, Numbered: true}
}

// write makes the output folder of a finding and records its name in the report.
func (o *Options) write(r *report.Report, f files) error {
	o.tell("writing the report")
	o.returnHome()
	if err := keep(r, f); err != nil {
		return err
	}
	errorPath := []byte(r.PathText)
	where := o.folder()
	if o.Replace && !o.KeepGoing {
		if text, err := infile.Read(filepath.Join(o.Dir, outfolder.ErrorPath)); err == nil && bytes.Equal(text, errorPath) {
			o.placed(r, o.Dir, f)
			o.suspectFile.supersede(r, o.Dir)
			_ = os.Chtimes(filepath.Join(o.Dir, outfolder.ErrorPath), time.Time{}, time.Now()) // it is the newest finding again
			return nil
		}
	}
	name := outfolder.Slug(r.System, cmp.Or(r.Property, string(r.Kind)))
	if dir := cmp.Or(o.unshrunkDir, o.suspectFile.folder(name)); dir != "" && !where.Replace {
		where = outfolder.Folder{Dir: dir, Replace: true}
	}
	dir, err := where.Write(name, func(temp, dir string) error {
		o.placed(r, dir, f)
		if err := os.WriteFile(filepath.Join(temp, outfolder.ErrorPath), errorPath, 0o644); err != nil {
			return err
		}
		for _, p := range []struct {
			name string
			file *pathfile.File
		}{{outfolder.LivePath, f.live}, {outfolder.Original, f.original}} {
			if p.file == nil {
				continue
			}
			text, err := content(p.file)
			if err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(temp, p.name), text, 0o644); err != nil {
				return err
			}
		}
		d := document.New(r, nil)
		for _, format := range render.FolderFormats() {
			var b bytes.Buffer
			if err := format.Render(&b, d); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(temp, outfolder.ReportStem+format.Ext), b.Bytes(), 0o644); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		r.LivePathFile = ""
		o.leave(r)
		if r.Shrunk != nil {
			r.Shrunk.Original = ""
		}
		return err
	}
	o.replaced = true
	if o.tempDir != "" { // an earlier attempt failed
		os.RemoveAll(o.tempDir)
		o.tempDir = ""
	}
	o.suspectFile.supersede(r, dir)
	switch {
	case o.Root != "":
		return outfolder.Ignore(o.Root)
	case o.Dir == "":
		return outfolder.Ignore(outfolder.Root)
	}
	return nil
}

// leave records a path file in a report with files that could not be written. It is the file of the run as found,
// that of the suspect under examination, or else a new one in the folder for temporary files.
func (o *Options) leave(r *report.Report) {
	r.PathFile, r.Commands = o.suspectFile.name(), report.Commands{}
	if o.unshrunkDir != "" {
		r.PathFile = filepath.Join(o.unshrunkDir, outfolder.ErrorPath)
	}
	if r.PathFile == "" && r.PathText != "" {
		r.PathFile = o.leaveText(r.PathText)
	}
	if o.Commands != nil && r.PathFile != "" {
		r.Commands.Look = o.Commands(r.PathFile).Look
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
func (o *Options) placed(r *report.Report, dir string, f files) {
	r.PathFile, r.LivePathFile = filepath.Join(dir, outfolder.ErrorPath), ""
	if f.live != nil {
		r.LivePathFile = filepath.Join(dir, outfolder.LivePath)
	}
	if f.original != nil {
		r.Shrunk.Original = filepath.Join(dir, outfolder.Original)
	}
	if o.Commands != nil {
		r.Commands = o.Commands(r.PathFile)
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
func (o *Options) leaveText(text string) string {
	if o.tempDir == "" {
		dir, err := os.MkdirTemp("", "macemc-finding-")
		if err != nil {
			return ""
		}
		o.tempDir = dir
	}
	file := filepath.Join(o.tempDir, outfolder.ErrorPath)
	if err := outfile.Replace(file, []byte(text), 0o644); err != nil {
		if _, err := os.Stat(file); err != nil { // no earlier text is left
			os.Remove(o.tempDir)
			o.tempDir = ""
			return ""
		}
	}
	return file
}
