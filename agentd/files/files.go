package files

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/rpc"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/dataroot"
	"gatehouse/agentd/tools/version"
	"gatehouse/agentd/wire"
)

// Deps is what Files stand on.
type Deps struct {
	Root     *dataroot.Root
	Versions *version.Store
	Writes   Writes
	Calls    Calls
	DB       Store
	Receipts Receipts
	Signed   Approvers
	Keys     Keys
	Free     func() (state, data int64) // bytes that are left on the disks
	ServerID func() string
	Now      func() time.Time
	Log      *slog.Logger
}

// Files are the files of the business as the owner sees them.
type Files struct {
	d       Deps
	drawing chan struct{} // holds one: a picture takes much memory while it is drawn

	uploading sync.Mutex // one stretch at a time, of whichever upload
}

// New gives the files beneath d.Root.
func New(d Deps) *Files { return &Files{d: d, drawing: make(chan struct{}, 1)} }

// Methods answers questions about files.
func (f *Files) Methods() rpc.Methods {
	in := rpc.Params{Unreadable: "The question cannot be read.", Strict: true}
	all := rpc.Methods{
		wire.MethodFilesList:  rpc.With(in, f.list),
		wire.MethodFilesGet:   rpc.With(in, f.get),
		wire.MethodFilesImage: rpc.With(in, f.image),
		wire.MethodFilesRead:  rpc.With(in, f.read),

		wire.MethodFilesUpload:   rpc.With(in, f.begin),
		wire.MethodFilesPart:     rpc.With(in, f.part),
		wire.MethodFilesFinish:   rpc.With(in, f.finish),
		wire.MethodFilesChange:   rpc.With(in, f.change),
		wire.MethodFilesVersions: rpc.With(in, f.versions),
	}
	for m, h := range all {
		all[m] = f.showing(m, h)
	}
	return all
}

var errGone = &wire.RPCError{
	Code: "not_found", Text: "There is no such file or folder on your server. It may have been moved or deleted.",
}

// showing turns the errors of h into ones that a person may read. What is not meant for people is logged, and only named.
func (f *Files) showing(m wire.Method, h rpc.Handler) rpc.Handler {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		out, err := h(ctx, params)
		if err == nil {
			return out, nil
		}
		var ready *wire.RPCError
		var refused *tool.Refused
		switch {
		case errors.As(err, &ready):
			return nil, ready
		case errors.Is(err, fs.ErrNotExist):
			return nil, errGone
		case errors.As(err, &refused):
			return nil, &wire.RPCError{Code: "conflict", Text: refused.Text}
		case errors.Is(err, wire.ErrSealed):
			return nil, &wire.RPCError{Code: "bad_request", Text: "Your browser sent an unusable key. Reload the page."}
		}
		f.d.Log.ErrorContext(ctx, "question about files failed", "method", string(m), "error", err)
		return nil, fmt.Errorf("%s: %w", m, err)
	}
}

// workWait is how long an act may take on the server, however long somebody waits for the answer.
const workWait = 10 * time.Minute

// errStill says that an act goes on, although nobody waits for it any longer.
var errStill = &wire.RPCError{
	Code: "unavailable", Text: "Your server is still working on this. Look again in a minute; there is no need to repeat it.",
}

// outlast does something to its end, also when whoever asked for it stops waiting: half of it would be worse than late.
func (f *Files) outlast(ctx context.Context, do func(ctx context.Context) (wire.FileInfo, error)) (wire.FileInfo, error) {
	type outcome struct {
		info wire.FileInfo
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		work, cancel := context.WithTimeout(context.WithoutCancel(ctx), workWait)
		defer cancel()
		info, err := do(work)
		if done <- (outcome{info, err}); err != nil && ctx.Err() != nil {
			f.d.Log.WarnContext(work, "act on files failed after nobody waited for it", "error", err)
		}
	}()
	select {
	case o := <-done:
		return o.info, o.err
	case <-ctx.Done():
		return wire.FileInfo{}, errStill
	}
}

// name is a path as it is named beneath the data folder; "." for that itself.
func (f *Files) name(path string) (string, error) {
	if path == "" {
		return ".", nil
	}
	return f.d.Root.Name(path)
}

// closed says whether a file is not opened, because of what its name says.
func (f *Files) closed(rel string) bool { return policy.Protected(rel, f.d.Root.Env()) != "" }
