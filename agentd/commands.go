package agentd

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"gatehouse/agentd/command"
	"gatehouse/agentd/wipe"
	"gatehouse/agentd/wire"
)

// ErrRestart ends Run when this process is to start again in its own place.
var ErrRestart = errors.New("agentd starts again at the hub's command")

// openCommands makes ready what the hub may command, and ends what an agentd before this one has left.
func (d *Daemon) openCommands(ctx context.Context) error {
	d.commands = command.New(command.Deps{
		DB: d.db, Receipts: d.receipts, Containers: d.engine, ServerID: d.serverID, Refresh: d.refresh,
		Restart: func() {
			select {
			case d.restart <- struct{}{}:
			default: // it does already
			}
		},
		Wipe: d.wipeHelper(), Now: d.now, Log: d.log,
	})
	return d.commands.Recover(ctx)
}

// wipeHelper hands a command to wipe to the machine's helper, by the file that it waits for; nil where there is none.
func (d *Daemon) wipeHelper() func(wire.SignedCommand) error {
	if d.cfg.WipeFile == "" {
		return nil
	}
	return func(c wire.SignedCommand) error { return wipe.Ask(d.cfg.WipeFile, c) }
}

// awaitRestart ends the whole when the hub commands a restart.
func (d *Daemon) awaitRestart(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-d.restart:
		return ErrRestart
	}
}

// refresh reads the rules again and tells the hub which configuration is in force, and which keys may approve.
func (d *Daemon) refresh(ctx context.Context) (string, error) {
	if err := d.live.Look(ctx); err != nil {
		return "", err
	}
	v := d.live.State().Version()
	err := d.db.Write(ctx, func(tx *sql.Tx) error {
		return d.outbox.Put(context.WithoutCancel(ctx), tx, wire.TypeConfigState, wire.ConfigState{Version: v})
	})
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Version %d of the configuration is in force.", v), d.keys.Announce(ctx)
}
