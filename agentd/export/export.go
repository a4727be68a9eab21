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
	_ = os.Remove(e.path(e.last.ID)) // the next start of agentd removes what is left
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
	e.stop, e.last = stop, wire.Export{ID: id.String(), State: wire.ExportRunning, At: e.d.Now().UTC()}
	e.work.Go(func() { defer close(ended); e.make(work, id.String()) })
	return ended, nil
}

// make writes an archive to its end, and puts it in the place of the one before.
func (e *Exporter) make(ctx context.Context, id string) {
	path := e.path(id)
	size, err := e.write(ctx, path+".part")
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
		_ = os.Remove(path + ".part") // the next start of agentd removes what is left
		return
	}
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
	return e.last, nil
}

var (
	errNone   = &wire.RPCError{Code: "not_found", Text: "This archive is not on your server any more. Make a new one."}
	errOffset = &wire.RPCError{Code: "bad_request", Text: "The archive is shorter than that. Start the download again."}
)

// read gives a stretch of an archive that is done.
func (e *Exporter) read(ctx context.Context, p wire.ExportRead) (wire.Boxed, error) {
	now, err := e.get(ctx)
	if err != nil {
		return wire.Boxed{}, err
	}
	if now.ID != p.ID || now.State != wire.ExportDone {
		return wire.Boxed{}, errNone
	}
	if p.Offset < 0 || p.Offset > now.Size {
		return wire.Boxed{}, errOffset
	}
	f, err := os.Open(e.path(p.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return wire.Boxed{}, errNone
	}
	if err != nil {
		return wire.Boxed{}, fmt.Errorf("open archive: %w", err)
	}
	defer func() { _ = f.Close() }() // it was only read
	part := make([]byte, min(wire.ExportPartSize, now.Size-p.Offset))
	if n, err := f.ReadAt(part, p.Offset); n < len(part) && !errors.Is(err, io.EOF) {
		return wire.Boxed{}, fmt.Errorf("read archive: %w", err)
	}
	return wire.Boxed{Result: wire.ExportPart{Size: now.Size}, Box: part}, nil
}

func (e *Exporter) path(id string) string { return filepath.Join(e.d.Dir, id+".zip") }

// tidy takes up an archive that a former process has made, and removes everything else.
func (e *Exporter) tidy() {
	all, err := os.ReadDir(e.d.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		e.d.Log.Warn("old archives not read", "error", err)
	}
	for _, entry := range all {
		info, err := entry.Info()
		id, whole := strings.CutSuffix(entry.Name(), ".zip")
		if err != nil || !whole || uuid.Validate(id) != nil || e.d.Now().Sub(info.ModTime()) >= wire.ExportKept {
			_ = os.Remove(filepath.Join(e.d.Dir, entry.Name())) // it is tried again at the next start
			continue
		}
		at := info.ModTime().UTC()
		e.last = wire.Export{ID: id, State: wire.ExportDone, Size: info.Size(), At: at, Until: at.Add(wire.ExportKept)}
	}
}

// removeOthers removes the archives before this one.
func (e *Exporter) removeOthers(id string) {
	all, _ := filepath.Glob(filepath.Join(e.d.Dir, "*.zip")) // the pattern is sound
	for _, path := range all {
		if filepath.Base(path) != id+".zip" {
			_ = os.Remove(path) // the next start of agentd removes what is left
		}
	}
}
