package agentd

import (
	"context"

	"gatehouse/agentd/files"
)

// openShelf makes the owner's way to the data folder.
func (d *Daemon) openShelf(context.Context) error {
	d.shelf = files.New(files.Deps{
		Root: d.root, Versions: d.versions, Writes: d.files, Calls: makers{d}, DB: d.db, Receipts: d.receipts, Signed: d.keys,
		Keys: d.vault, Free: d.free, ServerID: d.serverID, Now: d.now, Log: d.log,
	})
	d.shelf.Recover()
	return nil
}

// free is what is left on the disks of the state and of the data.
func (d *Daemon) free() (state, data int64) { return diskOf(d.cfg.State).Free, diskOf(d.cfg.Data).Free }

// makers knows who made a call, from the gate.
type makers struct{ d *Daemon }

// Maker implements files.Calls.
func (m makers) Maker(ctx context.Context, callID string) (agent, run string, err error) {
	c, err := m.d.gate.Made(ctx, callID)
	if err != nil || c == nil {
		return "", "", err
	}
	return c.Agent, c.RootRunID, nil
}
