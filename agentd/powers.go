package agentd

import (
	"context"
	"database/sql"
	"errors"

	"gatehouse/agentd/approver"
	"gatehouse/agentd/config"
	"gatehouse/agentd/wire"
)

// powers verifies who signed what a version of the configuration raises.
type powers struct{ keys *approver.Keys }

// Raise implements config.Powers. That an address counts as inside is not signed: the hub proves addresses, by mail.
func (p powers) Raise(ctx context.Context, tx *sql.Tx, r config.Raise, cfg wire.Config) error {
	if r.Kind == config.ChangeInside {
		return nil
	}
	why, err := p.keys.Raised(ctx, tx, r.Kind, r.Body, cfg)
	if err == nil && why != "" {
		err = errors.New(why)
	}
	return err
}
