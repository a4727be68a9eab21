package agentd

import (
	"context"
	"os"

	"gatehouse/agentd/redact"
	"gatehouse/agentd/tools/httprequest"
	"gatehouse/agentd/tools/registry"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/counter"
	"gatehouse/agentd/vault/external"
)

// VaultKeys says where the master key of the vault of a state directory comes from.
func VaultKeys(stateDir string) vault.Keys {
	return vault.Keys{Dir: stateDir, Credentials: os.Getenv("CREDENTIALS_DIRECTORY")}
}

// openVault opens the vault, makes redaction know what is in it, and takes in what provisioning has left. From here on
// no value leaves this process in clear.
func (d *Daemon) openVault(ctx context.Context) (err error) {
	if d.vault, err = vault.Open(ctx, d.db, VaultKeys(d.cfg.State), d.now); err != nil {
		return err
	}
	if err := d.vault.Subscribe(func(all []redact.Known) { redact.Current().SetSecrets(all) }); err != nil {
		return err
	}
	got, err := d.vault.Seed(ctx)
	if got.New > 0 {
		d.log.InfoContext(ctx, "credentials taken into the vault", "new", got.New)
	}
	if len(got.Short) > 0 {
		d.log.WarnContext(ctx, "credentials shorter than 8 characters are hidden only where their names stand beside them", "names", got.Short)
	}
	d.business = registry.New(d.cfg.State)
	d.counter = counter.New(counter.Deps{
		Vault: d.vault, DB: d.db, Receipts: d.receipts, Signed: d.keys, Applier: httprequest.NewRotator(d.business),
		ServerID: d.serverID, Identity: d.identityKey, Now: d.now, Log: d.log,
	})
	if err != nil {
		return err
	}
	return d.openExternal(ctx)
}

// openExternal prepares what follows the external vault. Nothing is asked yet.
func (d *Daemon) openExternal(ctx context.Context) (err error) {
	if d.cfg.KV.Address == "" {
		return d.vault.Looked(ctx, vault.External{}, 0)
	}
	if d.external, err = external.New(d.cfg.KV, d.vault, d.now, d.log); err != nil {
		return err
	}
	return d.vault.Looked(ctx, vault.External{Address: d.cfg.KV.Address}, 0)
}

// follow keeps secrets that come from the external vault up to date.
func (d *Daemon) follow(ctx context.Context) error {
	if d.external == nil {
		return nil
	}
	return d.external.Run(ctx)
}

// watchVault notices what the operator's commands change while agentd runs.
func (d *Daemon) watchVault(ctx context.Context) error {
	d.vault.Run(ctx, func(err error) {
		d.log.ErrorContext(ctx, "the vault cannot be read; no secret is given out", "error", err)
		d.tellOwner(ctx, "vault", "hard",
			"The vault of this server cannot be read. Calls that need a secret fail until a person has looked at it.")
	})
	return nil
}
