package approver

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gatehouse/agentd/wire"
)

// SeedFile is the file in the state directory in which the installer leaves the owner's first key.
const SeedFile = "approver.seed"

const maxSeed = 4 << 10 // bytes

// Begin is for the start of a server, before it registers. The very first start takes the key of the seed; a seed that lies
// there at any other time is refused, on record. In both cases the file is gone afterwards. registered says whether a hub
// knows this server already.
func (k *Keys) Begin(ctx context.Context, registered bool) error {
	seed, found, err := readSeed(filepath.Join(k.d.Dir, SeedFile))
	var wrong, why refusal
	if err != nil && !errors.As(err, &wrong) {
		return err
	}
	if found && wrong == "" {
		wrong = misboxed(seed)
	}
	err = k.d.DB.Write(ctx, func(tx *sql.Tx) (err error) {
		ctx := context.WithoutCancel(ctx) // an interrupted statement would take other writes with it
		why, err = k.begin(ctx, tx, found, seed, registered, wrong)
		return err
	})
	if err != nil || !found {
		return err
	}
	if why != "" {
		k.d.Log.WarnContext(ctx, "a seed of an approver key was refused", "why", string(why))
	}
	return removeSeed(k.d.Dir)
}

// begin is Begin inside its transaction. It says why the seed was refused, which may be what is wrong with it by itself.
func (k *Keys) begin(
	ctx context.Context, tx *sql.Tx, found bool, seed wire.Seed, registered bool, wrong refusal,
) (why refusal, err error) {
	taken, first, err := firstStart(ctx, tx)
	if err != nil {
		return "", err
	}
	if !found {
		if first {
			err = k.started(ctx, tx, wire.Seed{})
		}
		return "", err
	}
	ever, revoked, err := countKeys(ctx, tx)
	if err != nil {
		return "", err
	}
	untouched := ever == 1 && revoked == 0
	switch {
	case wrong != "":
		why = wrong
	case !registered && taken != "" && taken == keyIDOf(seed.SPKI) && untouched:
		return "", nil // it was taken, and the file stayed: the server was killed in between
	case registered:
		why = "this server is registered already"
	case ever > 0:
		why = "this server has, or had, an approver key already"
	case !first:
		why = "this server has been started before"
	default:
		return "", k.plant(ctx, tx, seed)
	}
	body := map[string]any{"what": "seed", "why": string(why), "key_id": keyIDOf(seed.SPKI)}
	if err := k.note(tx, "approver.refused", body); err != nil || !first {
		return why, err
	}
	return why, k.started(ctx, tx, wire.Seed{})
}

// plant takes the key of a seed. The hub hears of it once this server is registered: see Announce.
func (k *Keys) plant(ctx context.Context, tx *sql.Tx, seed wire.Seed) error {
	added := wire.ApproverKey{
		KeyID: wire.ApproverKeyIDOf(seed.SPKI), SPKI: seed.SPKI, Kind: seed.Kind, Holder: wire.HolderPerson, Label: seed.Label,
		Credential: seed.Credential, AddedBy: wire.AddedByOrder, CreatedAt: k.d.Now().UTC().Truncate(time.Microsecond),
	}
	by := wire.DecidedBy{Name: seed.Address, Role: "owner", Channel: wire.AddedByOrder}
	if err := k.trust(ctx, tx, added, by); err != nil {
		return err
	}
	if seed.Box != nil {
		if err := k.makeRecovery(ctx, tx, added.KeyID, seed.Box.Key, by); err != nil {
			return err
		}
	}
	return k.started(ctx, tx, seed)
}

// misboxed says what is wrong with the key for boxes that a seed brings: only what its own approver key has signed counts, or
// else whoever carried the seed could read the recovery code.
func misboxed(s wire.Seed) refusal {
	if s.Box == nil {
		return ""
	}
	const why = "its key for the recovery code is not vouched for"
	public, err := wire.ParseApproverKey(s.Kind, s.SPKI)
	if err != nil {
		return why
	}
	by := &key{wire.ApproverKey{KeyID: wire.ApproverKeyIDOf(s.SPKI), Kind: s.Kind}, public}
	_, err = wire.SecretPublic(s.Box.Key)
	sig := s.Box.Signature
	text := wire.BoxKeyText(by.KeyID, s.Box.Key, sig.Time)
	if err != nil || sig.KeyID != by.KeyID || sig.Time.Nanosecond() != 0 || !holds(s.Origin, by, text, sig) {
		return why
	}
	return ""
}

// started keeps that the very first start has been, and what it took.
func (k *Keys) started(ctx context.Context, tx *sql.Tx, took wire.Seed) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO approver_first (id, key_id, address, at) VALUES (1, ?, ?, ?)",
		keyIDOf(took.SPKI), took.Address, k.d.Now().UnixMicro())
	if err != nil {
		return fmt.Errorf("keep first start: %w", err)
	}
	return nil
}

// firstStart says whether no start has been before, and otherwise which key the first one took.
func firstStart(ctx context.Context, tx *sql.Tx) (taken string, first bool, err error) {
	err = tx.QueryRowContext(ctx, "SELECT key_id FROM approver_first WHERE id = 1").Scan(&taken)
	if errors.Is(err, sql.ErrNoRows) {
		return "", true, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("read first start: %w", err)
	}
	return taken, false, nil
}

// countKeys counts the keys that were ever enrolled here, and those of them that were revoked since.
func countKeys(ctx context.Context, tx *sql.Tx) (ever, revoked int, err error) {
	err = tx.QueryRowContext(ctx, "SELECT count(*), count(revoked_at) FROM approver_keys").Scan(&ever, &revoked)
	if err != nil {
		return 0, 0, fmt.Errorf("read approver keys: %w", err)
	}
	return ever, revoked, nil
}

// readSeed reads the seed of a state directory. What is wrong with it is a refusal.
func readSeed(path string) (s wire.Seed, found bool, err error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, false, nil
	case err != nil:
		return s, false, fmt.Errorf("read seed: %w", err)
	case !info.Mode().IsRegular():
		return s, true, refusal("it is no file of its own")
	case info.Mode().Perm()&0o077 != 0:
		return s, true, refusal("its file is open to others")
	case info.Size() > maxSeed:
		return s, true, refusal("it cannot be read")
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrPermission) {
		return s, true, refusal("its file belongs to somebody else")
	}
	if err != nil {
		return s, true, fmt.Errorf("read seed: %w", err)
	}
	s, err = parseSeed(raw)
	return s, true, err
}

// parseSeed refuses everything that is not exactly a seed.
func parseSeed(raw []byte) (s wire.Seed, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if d.Decode(&s) != nil || d.More() {
		return wire.Seed{}, refusal("it cannot be read")
	}
	if why := malformed(wire.Enrolment{
		SPKI: s.SPKI, Kind: s.Kind, Holder: wire.HolderPerson, Label: s.Label, Credential: s.Credential,
	}); why != "" {
		return s, refusal(why)
	}
	if s.Kind != wire.BrowserKey && s.Kind != wire.PasskeyKey {
		return s, refusal("its kind is none that comes with an order")
	}
	if (s.Kind == wire.PasskeyKey) != (s.Origin != "") {
		return s, refusal("a passkey needs the origin of its page, and nothing else has one")
	}
	return s, nil
}

// removeSeed takes the file away for good, before the server registers.
func removeSeed(dir string) error {
	if err := os.RemoveAll(filepath.Join(dir, SeedFile)); err != nil {
		return fmt.Errorf("remove seed: %w", err)
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("remove seed: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("remove seed: %w", err)
	}
	return nil
}

// Announce tells the hub which keys there are. A server does so whenever it starts and is registered: a hub hears of a seed
// in no other way.
func (k *Keys) Announce(ctx context.Context) error {
	return k.d.DB.Write(ctx, func(tx *sql.Tx) error { return k.tell(context.WithoutCancel(ctx), tx) })
}

// Ordered says whether is holds for the address that ordered this server, and the hub reports it as proven for the first
// time: then it counts as inside without a signature. Once it was taken back it needs one like any other.
func (k *Keys) Ordered(ctx context.Context, tx *sql.Tx, is func(address string) bool) (bool, error) {
	var address string
	err := tx.QueryRowContext(ctx, "SELECT address FROM approver_first WHERE address <> '' AND proven_at IS NULL").Scan(&address)
	if errors.Is(err, sql.ErrNoRows) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read who ordered: %w", err)
	}
	if !is(address) {
		return false, nil
	}
	if _, err := tx.ExecContext(ctx, "UPDATE approver_first SET proven_at = ?", k.d.Now().UnixMicro()); err != nil {
		return false, fmt.Errorf("keep that an address is proven: %w", err)
	}
	return true, nil
}
