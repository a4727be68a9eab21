package approver

import (
	"context"
	"crypto/hmac"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"

	"gatehouse/agentd/wire"
)

// recoveryCode is the recovery code that counts: the newest, whoever had it made.
type recoveryCode struct {
	secret []byte // what the code stands for
	file   string // the console printed it, and its hash lies there; empty: it was made for a browser
	keyID  string // of the approver key of that browser
	box    string // in which the browser gets it; empty once it was written down
}

// recovery reads the recovery code that counts. That there is none is a refusal.
func (k *Keys) recovery(ctx context.Context, tx *sql.Tx) (recoveryCode, error) {
	var key, keyID, box string
	var made int64
	err := tx.QueryRowContext(ctx, "SELECT key, key_id, coalesce(box, ''), made_at FROM approver_recovery").Scan(&key, &keyID, &box, &made)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return recoveryCode{}, fmt.Errorf("read recovery code: %w", err)
	}
	own := err == nil
	var printed recovery
	err = k.read(RecoveryFile, &printed)
	var none refusal
	switch {
	case err == nil && (!own || printed.Made.UnixMicro() >= made):
		secret, err := hex.DecodeString(printed.Key)
		return recoveryCode{secret: secret, file: RecoveryFile}, err
	case err != nil && !errors.As(err, &none):
		return recoveryCode{}, err
	case !own || key == "":
		return recoveryCode{}, errUsed
	}
	secret, err := hex.DecodeString(key)
	return recoveryCode{secret, "", keyID, box}, err
}

// makeRecovery makes a recovery code for the browser of an approver key, in place of the one before. What is kept of it is
// its slow hash, and the box until the browser has opened it.
func (k *Keys) makeRecovery(ctx context.Context, tx *sql.Tx, keyID, boxKey string, by wire.DecidedBy) error {
	code := newCode(recoveryLength)
	secret, err := wire.CodeKey(code)
	if err != nil {
		return fmt.Errorf("make recovery code: %w", err)
	}
	box, err := wire.SealSecret(boxKey, wire.RecoveryPurpose(keyID), []byte(code))
	if err != nil {
		return fmt.Errorf("make recovery code: %w", err)
	}
	made, err := k.newest()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO approver_recovery (id, key, key_id, box, made_at) VALUES (1,?,?,?,?)
		ON CONFLICT (id) DO UPDATE SET key = excluded.key, key_id = excluded.key_id, box = excluded.box, made_at = excluded.made_at`,
		hex.EncodeToString(secret), keyID, string(box), made)
	if err != nil {
		return fmt.Errorf("keep recovery code: %w", err)
	}
	return k.note(tx, "approver.recovery", map[string]any{"key_id": keyID, "by": by})
}

// newest is a time that makes a new code the newest, also where a clock was put back since the console printed one.
func (k *Keys) newest() (int64, error) {
	made := k.d.Now().UnixMicro()
	var printed recovery
	err := k.read(RecoveryFile, &printed)
	var none refusal
	if err != nil && !errors.As(err, &none) {
		return 0, err
	}
	return max(made, printed.Made.UnixMicro()+1), nil
}

// sealed is the box that waits for its browser, signed by this server; nil when none does.
func (k *Keys) sealed(ctx context.Context, tx *sql.Tx) (*wire.SealedRecovery, error) {
	r, err := k.recovery(ctx, tx)
	var none refusal
	if errors.As(err, &none) || err == nil && r.box == "" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return wire.VouchRecovery(k.d.ServerID(), r.keyID, wire.SecretBox(r.box), k.d.Identity()), nil
}

// spent keeps an older recovery code from counting again after the newest was used. file names where that one lay.
func spent(ctx context.Context, tx *sql.Tx, file string) error {
	statement := "UPDATE approver_recovery SET box = NULL" // it stays the newest, and is used
	if file != "" {
		statement = "DELETE FROM approver_recovery"
	}
	if _, err := tx.ExecContext(ctx, statement); err != nil {
		return fmt.Errorf("use recovery code: %w", err)
	}
	return nil
}

// withdraw ends a recovery code that only the browser of a revoked key could see.
func withdraw(ctx context.Context, tx *sql.Tx, keyID string) error {
	const statement = "UPDATE approver_recovery SET key = '', box = NULL WHERE key_id = ? AND box IS NOT NULL"
	if _, err := tx.ExecContext(ctx, statement, keyID); err != nil {
		return fmt.Errorf("withdraw recovery code: %w", err)
	}
	return nil
}

// NewRecovery makes a recovery code in place of the one before. An enrolled key must have signed for the browser that is to
// open it.
func (k *Keys) NewRecovery(ctx context.Context, a wire.RecoveryAsk) (wire.SealedRecovery, error) {
	var out *wire.SealedRecovery
	why, err := k.settle(ctx, "recovery", a.By, func(ctx context.Context, tx *sql.Tx) (err error) {
		if _, err := wire.SecretPublic(a.Key); err != nil {
			return refusal("this browser has sent no key to which it could be sealed")
		}
		v, err := k.now(ctx, tx, change{wire.ChangeRecovery, wire.RecoveryBody{Key: a.Key}, a.Version}, a.Signature)
		if err != nil {
			return err
		}
		if err := k.makeRecovery(ctx, tx, v.key.KeyID, a.Key, a.By); err != nil {
			return err
		}
		if out, err = k.sealed(ctx, tx); err != nil {
			return err
		}
		return k.tell(ctx, tx)
	})
	switch {
	case err != nil:
		return wire.SealedRecovery{}, err
	case why != "":
		return wire.SealedRecovery{}, &wire.RPCError{Code: "conflict", Text: "No new recovery code was made: " + string(why) + "."}
	}
	return *out, nil
}

// RecoveryKept deletes the box of a recovery code that a person has written down, and from then on keeps its slow hash alone.
func (k *Keys) RecoveryKept(ctx context.Context, a wire.RecoveryKept) (struct{}, error) {
	why, err := k.settle(ctx, "recovery_kept", a.By, func(ctx context.Context, tx *sql.Tx) error {
		r, err := k.recovery(ctx, tx)
		if err != nil {
			return err
		}
		if !hmac.Equal([]byte(wire.CodeMAC(r.secret, wire.KeptText(k.d.ServerID()))), []byte(a.Proof)) {
			return refusal("it is not the one that counts now; make a new one")
		}
		if r.box == "" {
			return nil // a repeat, whose first answer was lost
		}
		if _, err := tx.ExecContext(ctx, "UPDATE approver_recovery SET box = NULL"); err != nil {
			return fmt.Errorf("forget box of recovery code: %w", err)
		}
		if err := k.note(tx, "approver.recovery_kept", map[string]any{"key_id": r.keyID, "by": a.By}); err != nil {
			return err
		}
		return k.tell(ctx, tx)
	})
	if err == nil && why != "" {
		err = &wire.RPCError{Code: "conflict", Text: "The recovery code was not confirmed: " + string(why) + "."}
	}
	return struct{}{}, err
}

// settle does one thing about the recovery code. What is refused leaves a receipt, and why says so in words.
func (k *Keys) settle(
	ctx context.Context, what string, by wire.DecidedBy, do func(context.Context, *sql.Tx) error,
) (why refusal, err error) {
	err = k.d.DB.Write(ctx, func(tx *sql.Tx) error {
		ctx := context.WithoutCancel(ctx) // an interrupted statement would take other writes with it
		why = ""
		err := do(ctx, tx)
		if errors.As(err, &why) {
			return k.note(tx, "approver.refused", map[string]any{"what": what, "why": string(why), "by": by})
		}
		return err
	})
	return why, err
}
