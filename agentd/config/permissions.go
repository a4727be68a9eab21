package config

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Signers verifies that a person signed a change of power, inside the Write that applies it.
type Signers interface {
	// VerifyChange says whose key it was when sig is a signature over the change by a key that may allow. While no key is
	// enrolled nothing is. Its error is for people.
	VerifyChange(ctx context.Context, tx *sql.Tx, k wire.ChangeKind, body any, version int64, sig *wire.Signature) (Proof, error)
}

// RequireSignatures makes changes of the rules that loosen something wait for a signature. Call it before the link is up.
func (l *Live) RequireSignatures(s Signers) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.signers = s
}

// errConflict says that the rules are no longer those that an author saw.
var errConflict = &wire.RPCError{Code: "conflict", Text: "The rules have changed meanwhile. Yours were not saved. Look at them and save again."}

// loadRules reads the newest version of the rules.
func loadRules(ctx context.Context, db *store.DB) (rules, error) {
	r := rules{manifest: &policy.Manifest{Version: 1}}
	err := db.Read().QueryRowContext(ctx, "SELECT version, text FROM permission_versions ORDER BY version DESC LIMIT 1").Scan(&r.version, &r.text)
	if errors.Is(err, sql.ErrNoRows) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("read permissions: %w", err)
	}
	if r.manifest, err = policy.ParseManifest([]byte(r.text)); err != nil {
		return r, fmt.Errorf("%w: permissions: %w", store.ErrCorrupt, err)
	}
	return r, nil
}

// rules are one version of permissions.yaml.
type rules struct {
	version  int64
	text     string
	manifest *policy.Manifest
}

// Set puts other rules in force, inside the Write that tx belongs to. What cannot be applied is refused with a receipt:
// nothing has changed then. The error is of the store alone.
func (l *Live) Set(ctx context.Context, tx *sql.Tx, p wire.PermissionsSet) (*wire.RPCError, error) {
	return l.set(ctx, tx, p, l.signed)
}

// SetSigned is Set for a change that a person has signed as part of something else: the decision of an approval.
func (l *Live) SetSigned(ctx context.Context, tx *sql.Tx, p wire.PermissionsSet) (*wire.RPCError, error) {
	return l.set(ctx, tx, p, func(context.Context, *sql.Tx, wire.PermissionsSet, *policy.Manifest, *policy.Manifest) (Proof, *wire.RPCError, error) {
		if p.Signature == nil {
			return Proof{}, nil, nil
		}
		return Proof{KeyID: p.Signature.KeyID}, nil, nil
	})
}

type signedBy func(ctx context.Context, tx *sql.Tx, p wire.PermissionsSet, now, next *policy.Manifest) (Proof, *wire.RPCError, error)

func (l *Live) set(ctx context.Context, tx *sql.Tx, p wire.PermissionsSet, signed signedBy) (*wire.RPCError, error) {
	ctx = context.WithoutCancel(ctx) // an interrupted statement would take other writes with it
	known, err := l.applied(tx, p.ID)
	if err != nil || known {
		return nil, err
	}
	now, have, err := l.current(tx)
	if err != nil {
		return nil, err
	}
	next, err := policy.ParseManifest([]byte(p.Text))
	switch {
	case p.ID == "":
		return l.refuseRules(tx, p, &wire.RPCError{Code: "bad_request", Text: "The change has no ID. Nothing was saved."})
	case err != nil:
		return l.refuseRules(tx, p, &wire.RPCError{Code: "bad_request", Text: "Not saved. These rules have an error: " + err.Error()})
	case p.Base != have:
		return l.refuseRules(tx, p, errConflict)
	}
	by, no, err := signed(ctx, tx, p, now, next)
	if no != nil || err != nil {
		return l.refuseIf(tx, p, no, err)
	}
	return nil, l.keepRules(ctx, tx, p, by, rules{have + 1, p.Text, next})
}

// signed checks the signature of what loosens something.
func (l *Live) signed(ctx context.Context, tx *sql.Tx, p wire.PermissionsSet, now, next *policy.Manifest) (Proof, *wire.RPCError, error) {
	l.mu.RLock()
	s := l.signers
	l.mu.RUnlock()
	if s == nil || p.By.Channel == OnServer || !policy.LoosensRules(now, next) {
		return Proof{}, nil, nil
	}
	version, err := VersionTx(l.db, tx)
	if err != nil {
		return Proof{}, nil, err
	}
	by, err := s.VerifyChange(ctx, tx, wire.ChangeRule, p.Body(), version, p.Signature)
	if err != nil {
		const looser = "With these rules the team asks less. Only a device that may approve can save them. Nothing was saved: "
		return Proof{}, &wire.RPCError{Code: "signature_required", Text: looser + strings.TrimSuffix(err.Error(), ".") + "."}, nil
	}
	return by, nil, nil
}

// OnServer is the channel of a change that was made on the machine itself, by whoever may write the state directory.
const OnServer = "server"

// applied says whether a change with this id was applied before.
func (l *Live) applied(tx *sql.Tx, id string) (bool, error) {
	var n int
	if err := l.db.QueryRow(tx, "SELECT count(*) FROM permission_versions WHERE change = ?", id).Scan(&n); err != nil {
		return false, fmt.Errorf("find permissions: %w", err)
	}
	return n > 0, nil
}

// current reads the rules as tx sees them.
func (l *Live) current(tx *sql.Tx) (*policy.Manifest, int64, error) {
	var version int64
	var text string
	err := l.db.QueryRow(tx, "SELECT version, text FROM permission_versions ORDER BY version DESC LIMIT 1").Scan(&version, &text)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, 0, fmt.Errorf("read permissions: %w", err)
	}
	m, err := policy.ParseManifest([]byte(text))
	return m, version, err
}

func (l *Live) keepRules(ctx context.Context, tx *sql.Tx, p wire.PermissionsSet, signed Proof, next rules) error {
	by, err := json.Marshal(p.By)
	if err != nil {
		return fmt.Errorf("keep permissions: %w", err)
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO permission_versions (version, change, text, author, reason, at) VALUES (?,?,?,?,?,?)",
		next.version, p.ID, next.text, string(by), p.Reason, l.now().UTC().Format(time.RFC3339Nano))
	if err != nil {
		return fmt.Errorf("keep permissions: %w", err)
	}
	body := map[string]any{"version": next.version, "change": p.ID, "rules": len(next.manifest.Rules), "reason": p.Reason, "by": p.By}
	if signed.KeyID != "" {
		body["signed"] = signed
	}
	if _, err := l.log.Append(tx, receipt.Entry{Type: "permissions.applied", Body: body}); err != nil {
		return err
	}
	l.db.OnCommit(tx, func() { l.swapRules(next) })
	return nil
}

// refuseRules leaves a receipt of a change that is not applied.
func (l *Live) refuseRules(tx *sql.Tx, p wire.PermissionsSet, no *wire.RPCError) (*wire.RPCError, error) {
	body := map[string]any{"change": p.ID, "base": p.Base, "why": no.Text, "by": p.By}
	_, err := l.log.Append(tx, receipt.Entry{Type: "permissions.refused", Body: body})
	return no, err
}

func (l *Live) refuseIf(tx *sql.Tx, p wire.PermissionsSet, no *wire.RPCError, err error) (*wire.RPCError, error) {
	if err != nil {
		return nil, err
	}
	return l.refuseRules(tx, p, no)
}

// swapRules puts rules in force, unless newer ones got there first, and writes the file.
func (l *Live) swapRules(r rules) {
	l.mu.Lock()
	if r.version <= l.cur.rules.version {
		l.mu.Unlock()
		return
	}
	l.cur.rules = r
	state, listeners := l.cur, l.listeners
	l.mu.Unlock()
	for _, fn := range listeners {
		fn(state)
	}
}

// VersionsTx reads the version since which the configuration decides calls as it does, and that of the rules, as tx sees them.
func VersionsTx(db *store.DB, tx *sql.Tx) (cfg, rules int64, err error) {
	err = db.QueryRow(tx, "SELECT (SELECT coalesce(max(policy), 0) FROM config), (SELECT coalesce(max(version), 0) FROM permission_versions)").Scan(&cfg, &rules)
	if err != nil {
		return 0, 0, fmt.Errorf("version of the configuration: %w", err)
	}
	return cfg, rules, nil
}
