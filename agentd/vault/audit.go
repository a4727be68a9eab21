package vault

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// Acts that stand in the audit.
const (
	actSet      = "set"
	actGenerate = "generate"
	actRotate   = "rotate"
	actRollback = "rollback"
	actBind     = "bind"
	actReveal   = "reveal"
	actLease    = "lease"
	actUse      = "use"
	actSeed     = "seed"
	actImport   = "import"
	actRemove   = "remove"
	actRekey    = "rekey"
	actRefuse   = "refuse"
	actSource   = "source"
	actFetch    = "fetch"
)

// note writes lines of the audit, in the Write that they are about.
func (v *Vault) note(ctx context.Context, tx *sql.Tx, now time.Time, notes ...entry) error {
	for _, e := range notes {
		_, err := tx.ExecContext(ctx, "INSERT INTO vault_audit (time, name, version, act, by, purpose) VALUES (?,?,?,?,?,?)",
			now.UnixMicro(), e.name, e.version, e.act, e.by, clip(e.purpose))
		if err != nil {
			return fmt.Errorf("note %s of %s: %w", e.act, e.name, err)
		}
	}
	return nil
}

// clip keeps a purpose short, and valid UTF-8.
func clip(s string) string { return strings.ToValidUTF8(s[:min(len(s), 500)], "") }

// Audit gives one page of who touched what, newest first.
func (v *Vault) Audit(ctx context.Context, p wire.SecretAuditParams) (wire.SecretAuditResult, error) {
	if p.Limit < 1 || p.Limit > 200 {
		p.Limit = 50
	}
	out := wire.SecretAuditResult{Items: []wire.SecretAuditItem{}}
	err := each(ctx, v.db.Read(), `SELECT n, time, name, version, act, by, purpose FROM vault_audit
		WHERE (? = '' OR name = ?) AND (? = 0 OR n < ?) ORDER BY n DESC LIMIT ?`, func(scan func(...any) error) error {
		var it wire.SecretAuditItem
		var at int64
		if err := scan(&it.N, &at, &it.Name, &it.Version, &it.Act, &it.By, &it.For); err != nil {
			return err
		}
		it.Time = time.UnixMicro(at).UTC()
		out.Items = append(out.Items, it)
		return nil
	}, p.Name, p.Name, p.After, p.After, p.Limit+1)
	if len(out.Items) > p.Limit {
		out.Items = out.Items[:p.Limit]
		out.Next = out.Items[p.Limit-1].N
	}
	return out, err
}

// lastUses gives the newest use of each secret.
func (v *Vault) lastUses(ctx context.Context) (map[string]wire.SecretAuditItem, error) {
	all := map[string]wire.SecretAuditItem{}
	err := each(ctx, v.db.Read(), `SELECT name, time, by FROM vault_audit
		WHERE n IN (SELECT max(n) FROM vault_audit WHERE act IN ('use', 'reveal') GROUP BY name)`, func(scan func(...any) error) error {
		var it wire.SecretAuditItem
		var at int64
		if err := scan(&it.Name, &at, &it.By); err != nil {
			return err
		}
		it.Time = time.UnixMicro(at).UTC()
		all[it.Name] = it
		return nil
	})
	return all, err
}

// without takes a value out of a text, however short it is.
func without(text, value string) string {
	if value == "" {
		return text
	}
	return strings.ReplaceAll(text, value, "[SECRET]")
}

// Made says whether a call has made a value for this secret before: a call that comes again makes no second one.
func (v *Vault) Made(ctx context.Context, name, purpose string) (bool, error) {
	var n int
	err := v.db.Read().QueryRowContext(ctx, "SELECT count(*) FROM vault_audit WHERE name = ? AND act IN ('generate', 'rotate') AND purpose = ?", name, purpose).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("read audit: %w", err)
	}
	return n > 0, nil
}

// Reveal gives the current value for a person. before runs in the Write that notes it: what it refuses does not happen.
func (v *Vault) Reveal(ctx context.Context, name, by string, before func(tx *sql.Tx) error) (secret.Value, int, error) {
	val, n, err := v.reveal(ctx, name)
	if err != nil {
		return secret.Value{}, 0, err
	}
	err = v.db.Write(ctx, func(tx *sql.Tx) error {
		if err := before(tx); err != nil {
			return err
		}
		return v.note(context.WithoutCancel(ctx), tx, v.now().UTC(), entry{name, n, actReveal, by, "shown to a person"})
	})
	if err != nil {
		return secret.Value{}, 0, err
	}
	return val, n, nil
}
