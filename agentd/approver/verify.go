package approver

import (
	"context"
	"crypto/ecdsa"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/big"
	"time"

	"gatehouse/agentd/wire"
)

// skew is how far the clocks of a browser and this server may be apart.
const skew = 5 * time.Minute

// verdict is what came of a signature: why it does not hold, in words for people, or whose it is.
type verdict struct {
	why  string
	key  *key
	text string // the text that was signed
}

// Proof names a signature that held: whose key it was, and the hex SHA-256 of the text that it signed.
type Proof struct{ KeyID, Text string }

func (v verdict) proof() Proof {
	if v.key == nil {
		return Proof{}
	}
	sum := sha256.Sum256([]byte(v.text))
	return Proof{v.key.KeyID, hex.EncodeToString(sum[:])}
}

func no(why string) verdict { return verdict{why: why} }

// check says whether s is the signature of an enrolled key over text, and none that was used before. It uses nothing
// up: see use.
func (k *Keys) check(ctx context.Context, tx *sql.Tx, text string, s *wire.Signature) (verdict, error) {
	if s == nil || s.KeyID == "" || s.Sig == "" {
		return no("no device that may approve has signed it"), nil
	}
	by, err := find(ctx, tx, s.KeyID)
	if err != nil {
		return verdict{}, err
	}
	if by == nil {
		return no("the device that signed it may not approve on this server"), nil
	}
	if s.Time.Nanosecond() != 0 || !holds(k.d.Origin(), by, text, *s) {
		return no(string(differs)), nil
	}
	used, err := wasUsed(ctx, tx, text, s.KeyID)
	if err != nil {
		return verdict{}, err
	}
	if used {
		return no("its signature was used before"), nil
	}
	return verdict{key: by, text: text}, nil
}

// SignedBy says whether s is the signature of a key that a browser or a program holds over text, whoever's key it is: of the
// keys on this server it says nothing, and it uses nothing up.
func SignedBy(k wire.ApproverKey, text string, s wire.Signature) bool {
	public, err := wire.ParseApproverKey(k.Kind, k.SPKI)
	if err != nil || k.Kind == wire.PasskeyKey || s.Time.Nanosecond() != 0 {
		return false
	}
	return holds("", &key{k, public}, text, s)
}

// holds checks the signature itself.
func holds(origin string, by *key, text string, s wire.Signature) bool {
	sig, err := base64.RawURLEncoding.Strict().DecodeString(s.Sig)
	if err != nil {
		return false
	}
	if by.Kind == wire.PasskeyKey {
		return asserted(origin, by, text, s, sig)
	}
	public, ok := by.public.(*ecdsa.PublicKey)
	if !ok || s.AuthData != "" || s.ClientData != "" || len(sig) != 64 {
		return false
	}
	sum := sha256.Sum256([]byte(text))
	return ecdsa.Verify(public, sum[:], new(big.Int).SetBytes(sig[:32]), new(big.Int).SetBytes(sig[32:]))
}

// fresh says whether a time lies within skew of now.
func fresh(at, now time.Time) bool {
	return !at.Before(now.Add(-skew)) && !at.After(now.Add(skew))
}

// textID names a signed text together with its signer. Not the signature: of that there are many for one text.
func textID(text, keyID string) string {
	sum := sha256.Sum256([]byte(text + "\n" + keyID))
	return hex.EncodeToString(sum[:])
}

func wasUsed(ctx context.Context, tx *sql.Tx, text, keyID string) (bool, error) {
	var n int
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM approver_used WHERE id = ?", textID(text, keyID)).Scan(&n)
	if err != nil {
		return false, fmt.Errorf("read used signatures: %w", err)
	}
	return n > 0, nil
}

// use marks a signature as used, in the transaction of what it allows.
func use(ctx context.Context, tx *sql.Tx, text, keyID string, now time.Time) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO approver_used (id, used_at) VALUES (?,?)", textID(text, keyID), now.UnixMicro())
	if err != nil {
		return fmt.Errorf("keep used signature: %w", err)
	}
	return nil
}
