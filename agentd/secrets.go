package agentd

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/tools/credential"
	"gatehouse/agentd/tools/envread"
	"gatehouse/agentd/tools/envupdate"
	"gatehouse/agentd/tools/httprequest"
	"gatehouse/agentd/tools/registry"
	"gatehouse/agentd/vault"
	"gatehouse/agentd/vault/counter"
	"gatehouse/agentd/vault/external"
	"gatehouse/agentd/wire"
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
		Vault: d.vault, DB: d.db, Receipts: d.receipts, Signed: d.keys, Applier: httprequest.NewRotator(d.business), ServerID: d.serverID, Identity: d.identityKey, Now: d.now, Log: d.log,
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

// identityKey signs for this server; nil until it is registered.
func (d *Daemon) identityKey() ed25519.PrivateKey {
	if id := d.identity.Load(); id != nil {
		return id.Key
	}
	return nil
}

// secretTools are the tools that can carry secrets, or speak of them.
func (d *Daemon) secretTools() ([]gate.Tool, error) {
	update, err := envupdate.New(d.root)
	if err != nil {
		return nil, err
	}
	return []gate.Tool{
		httprequest.New(d.business), envread.New(d.root, d.vault), update,
		credential.NewGet(d.vault), credential.NewGenerate(d.vault), credential.NewRotate(d.vault, httprequest.NewRotator(d.business), d.counter.Ended),
	}, nil
}

func secretDefinitions() []tool.Definition {
	return []tool.Definition{
		(&httprequest.Tool{}).Definition(), (&envread.Tool{}).Definition(), (&envupdate.Tool{}).Definition(),
		(&credential.Get{}).Definition(), (&credential.Generate{}).Definition(), (&credential.Rotate{}).Definition(),
	}
}

// settleEvery is how often services are asked that left open whether they took a new value.
const settleEvery = 10 * time.Minute

// staysUnclear tells the owner so: of which secret, and after how many minutes it is asked again.
const staysUnclear = "It is not known whether the new value of %s was taken by its service. Both are kept; the service is asked again about every %.0f minutes."

// endRotations ends rotations that were interrupted, at the start and now and again: a service may have taken a value
// after nobody waited for its answer anymore. The owner hears of one that stays unclear.
func (d *Daemon) endRotations(ctx context.Context) error {
	tick := time.NewTicker(settleEvery)
	defer tick.Stop()
	seen := unclear{}
	for {
		names, err := d.counter.Settle(ctx)
		if err != nil && ctx.Err() == nil {
			d.log.ErrorContext(ctx, "rotations not settled", "error", err)
		}
		for _, name := range seen.asked(names, err == nil) {
			d.tellOwner(ctx, wire.Alert{Kind: "rotation", Severity: "medium", Text: fmt.Sprintf(staysUnclear, name, settleEvery.Minutes()), Time: d.now()})
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// unclear counts how often in a row it stayed unclear whether a service has taken a value, by the name of the secret.
type unclear map[string]int

// asked counts one round of asking, and says of which names the owner is to hear: once, when they were unclear twice. A round
// that could not ask all of them says nothing of those that it does not name.
func (u unclear) asked(names []string, all bool) (tell []string) {
	if all {
		maps.DeleteFunc(u, func(name string, _ int) bool { return !slices.Contains(names, name) })
	}
	for _, name := range names {
		if u[name]++; u[name] == 2 {
			tell = append(tell, name)
		}
	}
	return tell
}

// watchVault notices what the operator's commands change while agentd runs.
func (d *Daemon) watchVault(ctx context.Context) error {
	d.vault.Run(ctx, func(err error) {
		d.log.ErrorContext(ctx, "the vault cannot be read; no secret is given out", "error", err)
		d.tellOwner(ctx, wire.Alert{Kind: "vault", Severity: "hard", Text: "The vault of this server cannot be read. Calls that need a secret fail until a person has looked at it.", Time: d.now()})
	})
	return nil
}

// tellOwner sends an alert, and logs that it could not.
func (d *Daemon) tellOwner(ctx context.Context, a wire.Alert) {
	err := d.db.Write(ctx, func(tx *sql.Tx) error { return d.outbox.Put(context.WithoutCancel(ctx), tx, wire.TypeAlert, a) })
	if err != nil {
		d.log.ErrorContext(ctx, "alert not sent", "kind", a.Kind, "error", err)
	}
}
