package local

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// retiredDir holds the folders of servers that nobody wants any more, beside those that run. Nothing is deleted there: as with a
// machine of the pool, a person decides when what a business left behind goes.
const retiredDir = "retired"

// errRetired says that a server is not to be started again.
var errRetired = errors.New("this server was retired")

// Retire ends a server and sets its folder aside, so that its place is free for another one.
func (h *Host) Retire(ctx context.Context, serverID string) error {
	r, err := h.mark(serverID)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("retire %s: %w", serverID, err)
	}
	if err := h.end(ctx, r); err != nil {
		return fmt.Errorf("retire %s: %w", serverID, err)
	}
	aside := filepath.Join(filepath.Dir(h.opt.Dir), retiredDir)
	if err := os.MkdirAll(aside, 0o700); err != nil {
		return fmt.Errorf("retire %s: %w", serverID, err)
	}
	if err := os.Rename(h.folder(serverID), filepath.Join(aside, serverID)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("retire %s: %w", serverID, err)
	}
	h.opt.Log.InfoContext(ctx, "local server retired", "server_id", serverID, "folder", filepath.Join(aside, serverID))
	return nil
}

// mark keeps every process of a server from being started again, by this hub or another one on this machine.
func (h *Host) mark(serverID string) (record, error) {
	if _, err := h.record(serverID); err != nil {
		return record{}, err
	}
	unlock, err := lock(h.path(serverID, "lock"))
	if err != nil {
		return record{}, err
	}
	defer unlock()
	r, err := h.record(serverID)
	if err != nil {
		return r, err
	}
	r.Retired = true
	return r, h.save(r)
}
