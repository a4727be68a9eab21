package approver

import (
	"context"
	"crypto/hmac"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

const (
	maxKeys  = 20
	maxLabel = 60 // characters
)

// refusal is why a key is not taken or not revoked, in words for people.
type refusal string

func (r refusal) Error() string { return string(r) }

// Enrol takes a key when a code or an enrolled key vouches for it. What is refused leaves a receipt, and a code
// counts each failed try.
func (k *Keys) Enrol(ctx context.Context, e wire.Enrolment) (wire.Enrolled, error) {
	var out wire.Enrolled
	var used string
	var why refusal
	k.warm(e)
	err := k.d.DB.Write(ctx, func(tx *sql.Tx) error {
		ctx := context.WithoutCancel(ctx) // an interrupted statement would take other writes with it
		why = ""
		var err error
		out, used, err = k.enrol(ctx, tx, e)
		if errors.As(err, &why) {
			return k.note(tx, "approver.refused", map[string]any{"what": "enrol", "why": string(why), "key_id": keyIDOf(e.SPKI), "by": e.By})
		}
		return err
	})
	switch {
	case err != nil:
		return wire.Enrolled{}, err
	case why != "":
		return wire.Enrolled{}, &wire.RPCError{Code: "conflict", Text: "This device was not added: " + string(why) + "."}
	}
	if used != "" {
		_ = os.Remove(filepath.Join(k.d.Dir, used)) // it is marked as used: that it lies there does no harm
	}
	return out, nil
}

// warm derives what the code stands for before the transaction, which all others wait for.
func (k *Keys) warm(e wire.Enrolment) {
	if c, err := ReadCode(k.d.Dir); err == nil && e.Signature == nil && !e.Recovery {
		_, _ = k.codes.derive(c.Code) // an error comes again where it is answered
	}
}

// enrol is Enrol inside its transaction; used names the file of the code that vouched.
func (k *Keys) enrol(ctx context.Context, tx *sql.Tx, e wire.Enrolment) (out wire.Enrolled, used string, err error) {
	keys, err := List(ctx, tx)
	if err != nil {
		return out, "", err
	}
	if why := k.misfit(e); why != "" {
		return out, "", refusal(why)
	}
	for _, known := range keys {
		if known.SPKI == e.SPKI {
			return wire.Enrolled{Key: known}, "", nil // a repeat, whose first answer was lost
		}
	}
	if len(keys) >= maxKeys {
		return out, "", refusal(fmt.Sprintf("%d devices may already approve; remove one first", len(keys)))
	}
	added := wire.ApproverKey{
		KeyID: wire.ApproverKeyIDOf(e.SPKI), SPKI: e.SPKI, Kind: e.Kind, Holder: e.Holder, Label: e.Label, Credential: e.Credential,
		CreatedAt: k.d.Now().UTC().Truncate(time.Microsecond),
	}
	vouch := k.byCode
	if e.Signature != nil {
		vouch = k.byKey
	}
	if added.AddedBy, used, err = vouch(ctx, tx, e, len(keys) == 0, &out); err != nil {
		return wire.Enrolled{}, "", err
	}
	out.Key = added
	return out, used, k.add(ctx, tx, added, e.By)
}

// add keeps a key that somebody vouched for, with its receipt and word to the hub.
func (k *Keys) add(ctx context.Context, tx *sql.Tx, a wire.ApproverKey, by wire.DecidedBy) error {
	var revoked int
	if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM approver_keys WHERE key_id = ?", a.KeyID).Scan(&revoked); err != nil {
		return fmt.Errorf("read approver keys: %w", err)
	}
	if revoked > 0 {
		return refusal("it was removed before; add it again as a new device")
	}
	if err := k.trust(ctx, tx, a, by); err != nil {
		return err
	}
	return k.tell(ctx, tx)
}

// trust is Trust with the receipt of it.
func (k *Keys) trust(ctx context.Context, tx *sql.Tx, a wire.ApproverKey, by wire.DecidedBy) error {
	if err := k.Trust(ctx, tx, a); err != nil {
		return err
	}
	body := map[string]any{"key_id": a.KeyID, "kind": a.Kind, "holder": a.Holder, "label": a.Label, "added_by": a.AddedBy, "by": by}
	return k.note(tx, "approver.enrolled", body)
}

func (k *Keys) note(tx *sql.Tx, kind string, body any) error {
	_, err := k.d.Receipts.Append(tx, receipt.Entry{Type: kind, Body: body})
	return err
}

// tell sends the hub the keys as they now are, with this server's signature over their list.
func (k *Keys) tell(ctx context.Context, tx *sql.Tx) error {
	keys, err := List(ctx, tx)
	if err != nil {
		return err
	}
	state := wire.ApproverState{Keys: keys}
	if state.Vouched, err = wire.VouchKeys(k.d.ServerID(), keys, k.d.Identity()); err != nil {
		return err
	}
	if state.Recovery, err = k.sealed(ctx, tx); err != nil {
		return err
	}
	if err := k.d.Outbox.Put(ctx, tx, wire.TypeApproverState, state); err != nil {
		return fmt.Errorf("report approver keys: %w", err)
	}
	return nil
}

// misfit says what is wrong with the form of an enrolment.
func (k *Keys) misfit(e wire.Enrolment) string {
	if k.d.ServerID() == "" {
		return "this server is not registered yet"
	}
	return malformed(e)
}

// malformed says what is wrong with a key itself, or with what is said of it.
func malformed(e wire.Enrolment) string {
	_, err := wire.ParseApproverKey(e.Kind, e.SPKI)
	switch {
	case err != nil:
		return err.Error()
	case e.Kind != wire.BrowserKey && e.Kind != wire.PasskeyKey && e.Kind != wire.SoftwareKey:
		return "its kind is none that this server knows"
	case e.Holder != wire.HolderPerson && e.Holder != wire.HolderMember && e.Holder != wire.HolderStaff:
		return "it is said to be nobody's"
	case (e.Kind == wire.PasskeyKey) != (e.Credential != "") || len(e.Credential) > 1400:
		return "a passkey needs the id of its credential, and nothing else has one"
	case !utf8.ValidString(e.Label) || utf8.RuneCountInString(e.Label) > maxLabel || strings.TrimSpace(e.Label) == "" || strings.ContainsFunc(e.Label, unshown):
		return fmt.Sprintf("its name must be one line of at most %d characters", maxLabel)
	}
	return ""
}

// unshown are the characters that would make one name look like another.
func unshown(r rune) bool { return !unicode.IsPrint(r) }

// keyIDOf names a key that may be none.
func keyIDOf(spki string) string {
	if _, err := wire.ParseApproverKey(wire.PasskeyKey, spki); err != nil {
		return ""
	}
	return wire.ApproverKeyIDOf(spki)
}

// byKey lets an enrolled key vouch: it has signed exactly this key, just now.
func (k *Keys) byKey(ctx context.Context, tx *sql.Tx, e wire.Enrolment, _ bool, _ *wire.Enrolled) (by, used string, err error) {
	body := wire.EnrolBody{Holder: e.Holder, Kind: e.Kind, Label: e.Label, SPKI: e.SPKI}
	v, err := k.now(ctx, tx, change{wire.ChangeEnrol, body, e.Version}, e.Signature)
	if err != nil {
		return "", "", err
	}
	return v.key.KeyID, "", nil
}

// now checks a change that takes effect at once: signed within skew, and for the configuration in force.
func (k *Keys) now(ctx context.Context, tx *sql.Tx, c change, s *wire.Signature) (verdict, error) {
	version, err := k.d.Version(tx)
	if err != nil {
		return verdict{}, err
	}
	now := k.d.Now()
	switch {
	case s == nil:
		return verdict{}, refusal("no device that may approve has signed it")
	case c.version != version:
		return verdict{}, moved
	case !fresh(s.Time, now):
		return verdict{}, refusal("it took more than 5 minutes to arrive, or a clock is wrong; try again")
	}
	v, err := k.signed(ctx, tx, c, s, now)
	if err == nil && v.why != "" {
		err = refusal(v.why)
	}
	return v, err
}

// byCode lets the knowledge of a code vouch, and proves in out that the server knows the code too, and which key its cards
// are signed with.
func (k *Keys) byCode(ctx context.Context, tx *sql.Tx, e wire.Enrolment, first bool, out *wire.Enrolled) (by, used string, err error) {
	if e.Holder != wire.HolderPerson {
		return "", "", refusal("only a device of the owner that may approve can add one of a member or of our staff")
	}
	secret, used, err := k.secret(ctx, tx, e.Recovery, first)
	if err != nil {
		return "", "", err
	}
	id := codeBody(secret, time.Time{}).Code
	if err := k.try(ctx, tx, id); err != nil {
		return "", "", err
	}
	if !hmac.Equal([]byte(wire.CodeMAC(secret, wire.ProofText(k.d.ServerID(), e))), []byte(e.Proof)) {
		return "", "", refusal("the code is not the one that your server printed")
	}
	_, err = tx.ExecContext(ctx, "UPDATE approver_codes SET used_at = ? WHERE id = ?", k.d.Now().UnixMicro(), id)
	if err != nil {
		return "", "", fmt.Errorf("use code: %w", err)
	}
	by = "code"
	if e.Recovery {
		by = "recovery"
		if err := spent(ctx, tx, used); err != nil {
			return "", "", err
		}
	}
	server, keyID := k.d.ServerID(), wire.ApproverKeyIDOf(e.SPKI)
	out.Confirm, out.CardKey = wire.CodeMAC(secret, wire.ConfirmText(server, keyID)), wire.CardKey(k.d.Identity())
	out.CardProof = wire.CodeMAC(secret, wire.CardKeyText(server, keyID, out.CardKey))
	return by, used, nil
}

// secret is the key that the present code stands for, if the code may vouch.
func (k *Keys) secret(ctx context.Context, tx *sql.Tx, recover, first bool) (secret []byte, file string, err error) {
	if recover {
		r, err := k.recovery(ctx, tx)
		return r.secret, r.file, err
	}
	var c Code
	if err := k.read(CodeFile, &c); err != nil {
		return nil, "", err
	}
	if !k.d.Now().Before(c.Expires) {
		return nil, "", refusal("the code has expired; ask whoever runs your server for a new one")
	}
	if secret, err = k.codes.derive(c.Code); err != nil {
		return nil, "", fmt.Errorf("derive code: %w", err)
	}
	if first {
		return secret, CodeFile, nil
	}
	return secret, CodeFile, k.granted(ctx, tx, c, secret)
}

func (k *Keys) read(name string, v any) error {
	err := read(filepath.Join(k.d.Dir, name), v)
	if errors.Is(err, errNoCode) {
		return errUsed
	}
	return err
}

// errUsed says that there is no code left to prove.
const errUsed = refusal("the code was used already, or your server never made one")

// granted says whether an enrolled key has signed that this code may enrol another. The grant itself is not used up:
// the code is.
func (k *Keys) granted(ctx context.Context, tx *sql.Tx, c Code, secret []byte) error {
	if c.Grant == nil {
		return refusal("another device may already approve; add this one there, or use the recovery code")
	}
	text, err := change{wire.ChangeCode, codeBody(secret, c.Expires), c.Version}.text(k.d.ServerID(), c.Grant.Time)
	if err != nil {
		return err
	}
	v, err := k.check(ctx, tx, text, c.Grant)
	switch {
	case err != nil:
		return err
	case v.why != "":
		return refusal("the key that vouches for the code does not count: " + v.why)
	case v.key.Holder != wire.HolderPerson:
		return refusal("the key that vouches for the code is not one of an owner")
	}
	return nil
}

// try counts a try of a code.
func (k *Keys) try(ctx context.Context, tx *sql.Tx, id string) error {
	var tries int
	var used sql.NullInt64
	err := tx.QueryRowContext(ctx, `INSERT INTO approver_codes (id, tries) VALUES (?, 1)
		ON CONFLICT (id) DO UPDATE SET tries = tries + 1 RETURNING tries, used_at`, id).Scan(&tries, &used)
	switch {
	case err != nil:
		return fmt.Errorf("count try of code: %w", err)
	case used.Valid:
		return refusal("the code was used before; each code adds one device")
	case tries > maxTries:
		return refusal("there were too many tries with this code; ask whoever runs your server for a new one")
	}
	return nil
}
