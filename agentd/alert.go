package agentd

import (
	"context"
	"database/sql"

	"gatehouse/agentd/wire"
)

// tellOwner sends an alert, and logs that it could not.
func (d *Daemon) tellOwner(ctx context.Context, kind, severity, text string) {
	a := wire.Alert{Kind: kind, Severity: severity, Text: text, Time: d.now().UTC()}
	err := d.db.Write(ctx, func(tx *sql.Tx) error { return d.outbox.Put(context.WithoutCancel(ctx), tx, wire.TypeAlert, a) })
	if err != nil {
		d.log.ErrorContext(ctx, "alert not sent", "kind", kind, "error", err)
	}
}
