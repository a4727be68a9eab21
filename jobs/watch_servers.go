package jobs

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"gatehouse/app/server"
)

// WatchServersArgs asks for one look at all heartbeats.
type WatchServersArgs struct{}

// Kind is stored in rows: never rename.
func (WatchServersArgs) Kind() string { return "heartbeat_watch" }

// InsertOpts lets a look that failed be followed by the next one instead of a repeat.
func (WatchServersArgs) InsertOpts() river.InsertOpts {
	return river.InsertOpts{Queue: queueWatch, MaxAttempts: 1}
}

// watchEvery is how soon after a missed heartbeat a server is seen to be away.
const watchEvery = 10 * time.Second

// WatchServersWorker moves servers whose heartbeats stay away to degraded and offline.
type WatchServersWorker struct {
	river.WorkerDefaults[WatchServersArgs]
	Servers *server.Service
	Log     *slog.Logger
}

// Work looks once.
func (w *WatchServersWorker) Work(ctx context.Context, _ *river.Job[WatchServersArgs]) error {
	moved, err := w.Servers.Watch(ctx)
	for _, s := range moved {
		w.Log.WarnContext(ctx, "heartbeats stay away", "server_id", s.ID, "state", s.State, "last_beat", s.BeatAt)
	}
	return err
}
