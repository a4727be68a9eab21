package agentd

import (
	"context"
	"path/filepath"

	"gatehouse/agentd/gate"
)

// openGate makes the gate and gives it every tool that this server has.
func (d *Daemon) openGate(ctx context.Context) (err error) {
	d.gate, err = gate.New(ctx, gate.Deps{
		DB: d.db, Receipts: d.receipts, Rules: d.live, Sets: visibility{d}, Outbox: d.outbox, Signed: d.keys, Leases: d.vault,
		ServerID: d.serverID, Identity: d.identityKey, Now: d.now, Log: d.log,
		Results: filepath.Join(d.cfg.State, "results"), Root: d.cfg.Data,
		Machine: &machine{state: d.cfg.State, data: d.cfg.Data, now: d.now},
		Ingress: wrapped{}, Outgoing: newLeaving(d.inside, d.now), Guardian: d.guardian(), Asked: d.asked, Paired: d.paired,
		Replies: d.replies,
	})
	if err != nil {
		return err
	}
	d.live.RequireSignatures(changes{d.keys})
	for _, t := range d.tools() {
		if err := d.gate.Add(t); err != nil {
			return err
		}
	}
	return nil
}
