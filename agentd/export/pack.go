package export

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/wire"
)

// Files are the files of the business; agentd/files.Files has them.
type Files interface {
	// Each gives everything below the data folder, except folders that are gone through.
	Each(ctx context.Context, do func(wire.FileInfo) error) error
	// OpenPlain opens a plain file that a person may look at.
	OpenPlain(path string) (*os.File, fs.FileInfo, error)
}

const (
	leftNamed = 5       // files of each reason that the page names
	maxPath   = 60_000  // bytes; a path in an archive has at most 65,535
	keepFree  = 1 << 30 // bytes that an archive leaves on the disk: agents stop at a quarter of that
)

func (e *Exporter) filesPath(id string) string { return filepath.Join(e.d.Dir, id+".files.zip") }
func (e *Exporter) notePath(id string) string  { return filepath.Join(e.d.Dir, id+".files.json") }

// pack is the archive of files that is being written.
type pack struct {
	*Exporter
	ctx   context.Context
	zip   *zip.Writer
	index *bufio.Writer
	most  int64 // bytes that may still be copied
	short bool  // what bounds them is the disk
	made  wire.ExportFiles
}

// entry is a line of the index.
type entry struct {
	Path     string         `json:"path"`
	Size     int64          `json:"size"`
	Modified time.Time      `json:"modified,omitzero"`
	LeftOut  wire.ExportWhy `json:"left_out,omitempty"`
}

// packFiles writes the archive of files, and beside it what is told about it. Nothing of a file is held in memory beyond a buffer.
func (e *Exporter) packFiles(ctx context.Context, id string) (wire.ExportFiles, error) {
	path := e.filesPath(id)
	out, err := os.OpenFile(path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return wire.ExportFiles{}, fmt.Errorf("make archive of files: %w", err)
	}
	index, err := os.OpenFile(path+".index", os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return wire.ExportFiles{}, errors.Join(fmt.Errorf("make index: %w", err), out.Close())
	}
	buffered := bufio.NewWriterSize(out, 64<<10)
	p := &pack{Exporter: e, ctx: ctx, zip: zip.NewWriter(buffered), index: bufio.NewWriter(index), most: wire.ExportFilesMax}
	p.zip.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	if state, _ := e.d.Free(); state-keepFree < p.most {
		p.most, p.short = max(0, state-keepFree), true
	}
	err = p.fill(index)
	if err == nil {
		err = errors.Join(p.zip.Close(), buffered.Flush(), out.Sync())
	}
	info, bad := out.Stat()
	if err = errors.Join(err, bad, out.Close(), index.Close(), os.Remove(path+".index")); err != nil {
		return wire.ExportFiles{}, err
	}
	p.made.Size = info.Size()
	note, err := json.Marshal(p.made)
	if err != nil {
		return wire.ExportFiles{}, fmt.Errorf("note of files: %w", err)
	}
	return p.made, os.WriteFile(e.notePath(id), note, 0o600)
}

// fill copies the files and writes the index behind them.
func (p *pack) fill(index *os.File) error {
	if err := p.text("README.md", filesReadme); err != nil {
		return err
	}
	if err := p.d.Files.Each(p.ctx, p.one); err != nil {
		return fmt.Errorf("walk files: %w", err)
	}
	if err := p.index.Flush(); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	if _, err := index.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read index: %w", err)
	}
	w, err := p.zip.CreateHeader(&zip.FileHeader{Name: "index.jsonl", Method: zip.Deflate, Modified: p.d.Now().UTC()})
	if err == nil {
		_, err = io.Copy(w, index)
	}
	return err
}

func (p *pack) text(name, text string) error {
	w, err := p.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: p.d.Now().UTC()})
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	return err
}

// one copies a file, or says why not, and writes its line.
func (p *pack) one(i wire.FileInfo) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	line := entry{Path: i.Path, Size: i.Size, Modified: sane(i.Modified), LeftOut: p.why(i)}
	if line.LeftOut == "" {
		whole, err := p.copy(&line)
		if err != nil {
			return err
		}
		if !whole {
			line.LeftOut = wire.ExportChanged
		}
	}
	if line.LeftOut != "" {
		p.leave(line)
	}
	raw, err := json.Marshal(line)
	if err != nil {
		return fmt.Errorf("line of %s: %w", i.Path, err)
	}
	_, err = p.index.Write(append(raw, '\n'))
	return err
}

// sane is a time that can be written down: some file systems keep years that have more than four digits.
func sane(t time.Time) time.Time {
	if y := t.Year(); y < 0 || y > 9999 {
		return time.Time{}
	}
	return t
}

// why says why a file is left out before it is opened.
func (p *pack) why(i wire.FileInfo) wire.ExportWhy {
	switch {
	case i.Closed:
		return wire.ExportClosed
	case i.Kind != wire.FilePlain || len(i.Path) > maxPath:
		return wire.ExportOther
	case i.Size > p.most && p.short:
		return wire.ExportNoRoom
	case i.Size > p.most:
		return wire.ExportOver
	}
	return ""
}

// copy writes a file into the archive. It is not whole when it was changed meanwhile: what stands of it in the archive then is not
// to be trusted, and the index says so.
func (p *pack) copy(line *entry) (whole bool, err error) {
	in, info, err := p.d.Files.OpenPlain(line.Path)
	if err != nil {
		return false, nil //nolint:nilerr // it was deleted, or became something else, since it was listed
	}
	defer func() { _ = in.Close() }() // it was only read
	if line.Size, line.Modified = info.Size(), sane(info.ModTime().UTC()); line.Size > p.most {
		return false, nil // it has grown since it was listed
	}
	w, err := p.zip.CreateHeader(&zip.FileHeader{Name: "files/" + line.Path, Method: zip.Deflate, Modified: line.Modified})
	if err != nil {
		return false, fmt.Errorf("%s: %w", line.Path, err)
	}
	n, err := io.Copy(w, io.LimitReader(during{p.ctx, in}, line.Size))
	p.most -= n
	var unread *fs.PathError
	if err != nil && !errors.As(err, &unread) {
		return false, fmt.Errorf("copy %s: %w", line.Path, err)
	}
	after, bad := in.Stat()
	if err != nil || bad != nil || n != line.Size || !after.ModTime().Equal(info.ModTime()) || after.Size() != info.Size() {
		return false, nil
	}
	p.made.Count++
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last.Files.Count = p.made.Count
	return true, nil
}

// leave counts a file that is left out.
func (p *pack) leave(line entry) {
	at := slices.IndexFunc(p.made.Left, func(l wire.ExportLeft) bool { return l.Why == line.LeftOut })
	if at < 0 {
		p.made.Left, at = append(p.made.Left, wire.ExportLeft{Why: line.LeftOut}), len(p.made.Left)
	}
	l := &p.made.Left[at]
	if l.Count++; len(l.Some) < leftNamed {
		l.Some = append(l.Some, strings.ToValidUTF8(line.Path, "?"))
	}
}

// during reads until whoever waits has stopped.
type during struct {
	ctx context.Context
	io.Reader
}

func (d during) Read(b []byte) (int, error) {
	if err := d.ctx.Err(); err != nil {
		return 0, err
	}
	return d.Reader.Read(b)
}

// packed is what a former process noted about an archive of files; nil when there is none.
func (e *Exporter) packed(id string) *wire.ExportFiles {
	raw, err := os.ReadFile(e.notePath(id))
	var out wire.ExportFiles
	if err != nil || json.Unmarshal(raw, &out) != nil {
		return nil
	}
	return &out
}

// readFiles gives a stretch of the archive of files, sealed to the browser that asks.
func (e *Exporter) readFiles(ctx context.Context, p wire.ExportFilesRead) (wire.Boxed, error) {
	now, err := e.done(ctx, p.ID)
	if err != nil {
		return wire.Boxed{}, err
	}
	if now.Files == nil {
		return wire.Boxed{}, errNone
	}
	part, err := stretch(e.filesPath(p.ID), now.Files.Size, p.Offset)
	if err != nil {
		return wire.Boxed{}, err
	}
	box, err := wire.SealFile(p.ReplyKey, wire.FilePurpose{
		Method: wire.MethodExportFiles, ServerID: e.d.ServerID(), Name: wire.ExportFilesName, Version: p.ID, Offset: p.Offset,
	}, part)
	if errors.Is(err, wire.ErrSealed) {
		return wire.Boxed{}, errKey
	}
	return wire.Boxed{Result: wire.FilePart{Size: now.Files.Size}, Box: box}, err
}

var errKey = &wire.RPCError{Code: "bad_request", Text: "Your browser sent an unusable key. Reload the page."}

const filesReadme = `# Your files

- ` + "`files/`" + `: the files of your business, as they lie on your server.
- ` + "`index.jsonl`" + `: a line for each file. ` + "`left_out`" + ` says why one is not here:
  - ` + "`closed`" + `: its name says that it may hold passwords or keys, so it is opened only on the server itself.
  - ` + "`over`" + `: an archive holds up to 1 GB of files. Download it from the Files page.
  - ` + "`no_room`" + `: the disk of your server had no room for it. Download it from the Files page.
  - ` + "`other`" + `: it is a link, a device or a folder that cannot be read.
  - ` + "`changed`" + `: it was changed or deleted while it was copied. If a part of it is here, do not rely on it.
`
