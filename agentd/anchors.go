package agentd

import (
	"context"
	"crypto/ed25519"
	"errors"
	"io/fs"

	"gatehouse/agentd/link"
	"gatehouse/agentd/receipt"
)

// checkAnchors fails when the log no longer holds what was signed, or does not hold together behind the last
// signature. That is quick; checkLog looks at the rest while the server already works.
func (d *Daemon) checkAnchors(ctx context.Context) error {
	anchors, err := receipt.Anchors(d.cfg.State)
	if err != nil || len(anchors) == 0 {
		return err
	}
	last := anchors[len(anchors)-1]
	id, err := link.LoadIdentity(d.cfg.State)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if id.Registered() {
		if err := receipt.Held(ctx, d.db.Read(), id.ServerID, id.Key.Public().(ed25519.PublicKey), anchors[len(anchors)-1:]); err != nil {
			return err
		}
	}
	_, err = receipt.VerifyFrom(ctx, d.db.Read(), receipt.Head{Seq: last.Seq, Hash: last.Hash})
	return err
}

// checkLog looks at the whole log once. A log that does not hold ends the process: going on would hide it. The owner
// is told, if the state still takes a frame.
func (d *Daemon) checkLog(ctx context.Context) error {
	err := d.receipts.Check(ctx)
	if err == nil {
		err = receipt.Indexed(ctx, d.db.Read())
	}
	var broken *receipt.Broken
	if errors.As(err, &broken) {
		text := "The log of this server does not hold: " + broken.Error() + ". The server has stopped; a person must look."
		d.tellOwner(ctx, "receipts_broken", "hard", text)
	}
	return err
}
