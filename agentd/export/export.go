package export

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Receipts is the log; agentd/receipt.Log is one.
type Receipts interface {
	Append(tx *sql.Tx, e receipt.Entry) (wire.Receipt, error)
	// Each gives every record, oldest first.
	Each(ctx context.Context, do func(wire.Receipt) error) error
}

// Deps is what an Exporter stands on.
type Deps struct {
	Dir      string // where archives lie; made with the first
	DB       *store.DB
	Receipts Receipts
	Files    Files
	Free     func() (state, data int64) // bytes that are left on the disks
	ServerID func() string
	// Ask answers the questions of pages.
	Ask func(ctx context.Context, m wire.Method, params json.RawMessage) (any, error)
	Now func() time.Time
	Log *slog.Logger
}

// Exporter makes archives.
type Exporter struct {
	d Deps

	mu   sync.Mutex
	last wire.Export
	stop context.CancelFunc // of the one that is being made; nil: none is
	over *time.Timer        // removes the newest archive when its day is over
	work sync.WaitGroup
}

// New makes an Exporter. What a former process had not finished is removed; what it had done is kept for its day.
func New(d Deps) *Exporter {
	e := &Exporter{d: d, last: wire.Export{State: wire.ExportNone}}
	e.tidy()
	if e.last.State == wire.ExportDone {
		e.expires()
	}
	return e
}

// Methods answers questions about archives.
func (e *Exporter) Methods() rpc.Methods {
	in := rpc.Params{Unreadable: "The request cannot be read.", Optional: true}
	return rpc.Methods{
		wire.MethodExportStart: rpc.With(in, e.start),
		wire.MethodExportGet:   rpc.Without(e.get),
		wire.MethodExportRead:  rpc.With(in, e.read),
		wire.MethodExportFiles: rpc.With(in, e.readFiles),
	}
}

// Close ends what is being made: the next process begins anew when it is asked.
func (e *Exporter) Close() {
	e.mu.Lock()
	if e.stop != nil {
		e.stop()
	}
	if e.over != nil {
		e.over.Stop()
	}
	e.mu.Unlock()
	e.work.Wait()
}

// Forget removes every archive, and ends one that is being made: something that stands in it was deleted.
func (e *Exporter) Forget() {
	e.mu.Lock()
	if e.stop != nil {
		e.stop()
	}
	e.mu.Unlock()
	e.work.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stop == nil { // none was begun meanwhile, after the deletion
		e.last = wire.Export{State: wire.ExportNone}
		e.removeOthers("")
	}
}

// expires has the newest archive removed when its day is over, whether or not somebody asks for it. e.mu is held.
func (e *Exporter) expires() {
	if e.over != nil {
		e.over.Stop()
	}
	id := e.last.ID
	e.over = time.AfterFunc(e.last.Until.Sub(e.d.Now()), func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.last.ID == id {
			e.remove()
		}
	})
}

// remove takes the newest archive away. e.mu is held.
func (e *Exporter) remove() {
	e.removeOthers("")
	e.last = wire.Export{State: wire.ExportNone}
}

// quick is how long start waits, so that most archives are done with the answer.
const quick = 2 * time.Second

// start begins an archive, unless one is being made.
func (e *Exporter) start(ctx context.Context, p wire.ExportStart) (wire.Export, error) {
	done, err := e.begin(ctx, p)
	if err != nil {
		return wire.Export{}, err
	}
	timer := time.NewTimer(quick)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	case <-ctx.Done():
	}
	return e.get(ctx)
}

// begin puts on record who asked, and begins. done is closed when the archive is.
func (e *Exporter) begin(ctx context.Context, p wire.ExportStart) (done <-chan struct{}, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	ended := make(chan struct{})
	if e.stop != nil {
		return ended, nil
	}
	id, err := uuid.NewV7()
	if err != nil {
		return nil, fmt.Errorf("id of an archive: %w", err)
	}
	err = e.d.DB.Write(ctx, func(tx *sql.Tx) error {
		_, err := e.d.Receipts.Append(tx, receipt.Entry{Type: "data.exported", Body: map[string]any{"export_id": id, "by": p.By}})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("receipt of an archive: %w", err)
	}
	work, stop := context.WithCancel(context.Background())
	e.stop, e.last = stop, wire.Export{ID: id.String(), State: wire.ExportRunning, At: e.d.Now().UTC(), Files: &wire.ExportFiles{}}
	e.work.Go(func() { defer close(ended); e.make(work, id.String()) })
	return ended, nil
}

// make writes an archive to its end, and puts it in the place of the one before.
func (e *Exporter) make(ctx context.Context, id string) {
	path := e.path(id)
	size, err := e.write(ctx, path+".part")
	var files wire.ExportFiles
	if err == nil {
		files, err = e.packFiles(ctx, id)
	}
	if err == nil {
		e.removeOthers(id)
		err = os.Rename(path+".part", path)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stop = nil
	if err != nil {
		e.d.Log.Error("archive not made", "export_id", id, "error", err)
		e.last.State = wire.ExportFailed
		e.removeHalf(id)
		return
	}
	e.last.Files = &files
	e.last.State, e.last.Size, e.last.Until = wire.ExportDone, size, e.d.Now().UTC().Add(wire.ExportKept)
	e.expires()
}

// get tells of the newest archive.
func (e *Exporter) get(context.Context) (wire.Export, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.last.State == wire.ExportDone && !e.d.Now().Before(e.last.Until) {
		e.remove()
	}
	now := e.last
	if now.Files != nil {
		files := *now.Files // it is counted up while it is made
		now.Files = &files
	}
	return now, nil
}

var (
	errNone   = &wire.RPCError{Code: "not_found", Text: "This archive is not on your server any more. Make a new one."}
	errOffset = &wire.RPCError{Code: "bad_request", Text: "The archive is shorter than that. Start the download again."}
)

// read gives a stretch of an archive that is done.
func (e *Exporter) read(ctx context.Context, p wire.ExportRead) (wire.Boxed, error) {
	now, err := e.done(ctx, p.ID)
	if err != nil {
		return wire.Boxed{}, err
	}
	part, err := stretch(e.path(p.ID), now.Size, p.Offset)
	return wire.Boxed{Result: wire.ExportPart{Size: now.Size}, Box: part}, err
}

// done is the archive of an id, if it is there whole.
func (e *Exporter) done(ctx context.Context, id string) (wire.Export, error) {
	now, err := e.get(ctx)
	if err == nil && (now.ID != id || now.State != wire.ExportDone) {
		err = errNone
	}
	return now, err
}

// stretch reads the bytes of a file of that size that travel at once.
func stretch(path string, size, offset int64) ([]byte, error) {
	if offset < 0 || offset > size {
		return nil, errOffset
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errNone
	}
	if err != nil {
		return nil, fmt.Errorf("open archive: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	part := make([]byte, min(wire.ExportPartSize, size-offset))
	if n, err := f.ReadAt(part, offset); n < len(part) && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read archive: %w", err)
	}
	return part, nil
}

func (e *Exporter) path(id string) string { return filepath.Join(e.d.Dir, id+".zip") }

// tidy takes up an archive that a former process has made, and removes everything else.
func (e *Exporter) tidy() {
	all, err := filepath.Glob(filepath.Join(e.d.Dir, "*.zip")) // the pattern is sound
	if err != nil {
		e.d.Log.Warn("old archives not read", "error", err)
	}
	for _, path := range all {
		id := strings.TrimSuffix(filepath.Base(path), ".zip")
		info, err := os.Stat(path)
		if err != nil || uuid.Validate(id) != nil || e.d.Now().Sub(info.ModTime()) >= wire.ExportKept {
			continue
		}
		at := info.ModTime().UTC()
		e.last = wire.Export{ID: id, State: wire.ExportDone, Size: info.Size(), At: at, Until: at.Add(wire.ExportKept), Files: e.packed(id)}
	}
	e.removeOthers(e.last.ID)
}

// removeOthers removes everything but the archive of this id; with none, everything.
func (e *Exporter) removeOthers(id string) {
	all, _ := filepath.Glob(filepath.Join(e.d.Dir, "*")) // the pattern is sound
	for _, path := range all {
		if of, _, _ := strings.Cut(filepath.Base(path), "."); id == "" || of != id {
			_ = os.Remove(path) // the next start of agentd removes what is left
		}
	}
}

// removeHalf removes what was written of an archive that failed.
func (e *Exporter) removeHalf(id string) {
	all, _ := filepath.Glob(filepath.Join(e.d.Dir, id+".*")) // the pattern is sound
	for _, path := range all {
		_ = os.Remove(path) // the next start of agentd removes what is left
	}
}
