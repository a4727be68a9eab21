package webhook

import (
	"context"
	"crypto/subtle"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/agentd/hook/proof"
	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// target is an address as it stands in the table.
type target struct {
	schedule, url, secretHash, basis, lastAct string
	by                                        wire.DecidedBy
	updated                                   int64
}

var errNoTarget = errors.New("no address was signed for")

// scanner is a row of an answer.
type scanner interface{ Scan(dest ...any) error }

const targetQuery = "SELECT schedule, url, secret_hash, basis, last_act, origin, updated_at FROM schedule_webhooks WHERE schedule = ?"

func scanTarget(from scanner) (g target, err error) {
	var origin string
	err = from.Scan(&g.schedule, &g.url, &g.secretHash, &g.basis, &g.lastAct, &origin, &g.updated)
	if errors.Is(err, sql.ErrNoRows) {
		return g, errNoTarget
	}
	if err != nil {
		return g, fmt.Errorf("read address: %w", err)
	}
	if err := json.Unmarshal([]byte(origin), &g.by); err != nil || g.url != "" {
		return g, err
	}
	return g, errNoTarget
}

func (w *Webhooks) target(ctx context.Context, schedule string) (target, error) {
	return scanTarget(w.d.DB.Read().QueryRowContext(ctx, targetQuery, schedule))
}

// signed are the addresses that count, by schedule: Classify is asked for them and reads no disk.
type signed struct {
	mu sync.Mutex
	of map[string]string
}

func (s *signed) set(schedule, url string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of[schedule] = url; url == "" {
		delete(s.of, schedule)
	}
}

func (s *signed) get(schedule string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.of[schedule]
}

func (w *Webhooks) loadSigned(ctx context.Context) (err error) {
	rows, err := w.d.DB.Read().QueryContext(ctx, "SELECT schedule, url FROM schedule_webhooks WHERE url <> ''")
	if err != nil {
		return fmt.Errorf("read addresses: %w", err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var schedule, url string
		if err := rows.Scan(&schedule, &url); err != nil {
			return fmt.Errorf("read addresses: %w", err)
		}
		w.signed.set(schedule, url)
	}
	return rows.Err()
}

// Target is where the results of a schedule go, for a page; nil when nobody has signed for an address. basis is what the schedule does
// now.
func (w *Webhooks) Target(ctx context.Context, schedule, basis string) (*wire.ScheduleWebhook, error) {
	g, err := w.target(ctx, schedule)
	if errors.Is(err, errNoTarget) {
		return nil, nil
	}
	return &wire.ScheduleWebhook{Shown: shown(g.url), Stale: g.basis != basis, By: g.by, Updated: fromMicros(g.updated)}, err
}

// Refusals that people read.
var (
	errAct      = badRequest("This is nothing that can be done with the address of a schedule. Nothing was changed.")
	errUnsigned = &wire.RPCError{
		Code: "signature_required", Text: "This needs the signature of a device that may approve. Nothing was changed.",
	}
	errHash  = badRequest("The secret is not the one that was signed for. Nothing was saved.")
	errShort = badRequest(fmt.Sprintf("A secret has at least %d characters. Nothing was saved.", wire.MinWebhookSecret))
	errNone  = conflict("No address is set for this schedule. Nothing was changed.")
)

// Bind has the schedule of an act send its results to an address, or not anymore, inside a transaction. It says what the schedule
// does, and refuses an act that was made for another version of it.
type Bind func(tx *sql.Tx) (basis string, err error)

// Change carries out an act of a person.
func (w *Webhooks) Change(ctx context.Context, c wire.WebhookChange, bind Bind) error {
	a := c.Act
	known := a.Do == wire.WebhookSet || a.Do == wire.WebhookConfirm || a.Do == wire.WebhookRemove
	if uuid.Validate(a.ID) != nil || !known {
		return errAct
	}
	g, err := w.target(ctx, a.Schedule)
	switch {
	case err != nil && !errors.Is(err, errNoTarget):
		return err
	case g.lastAct == a.ID:
		return nil // a repeat
	case a.Do.Signed() && c.Signature == nil:
		return errUnsigned
	}
	act := func(tx *sql.Tx) error { return w.act(context.WithoutCancel(ctx), w.in(tx), c, bind) }
	if a.Do != wire.WebhookSet {
		if err := w.d.DB.Write(ctx, act); err != nil || a.Do != wire.WebhookRemove {
			return err
		}
		return w.dropKey(ctx, a.Schedule)
	}
	if err := w.checkAddress(a.URL); err != nil {
		return err
	}
	key, err := w.brought(ctx, c)
	if err != nil {
		return err
	}
	return w.d.Keys.Keep(ctx, wire.WebhookSecretName(a.Schedule), key, c.By, act)
}

// brought is the secret that came with an act: the one that the person has signed for.
func (w *Webhooks) brought(ctx context.Context, c wire.WebhookChange) (key secret.Value, err error) {
	if key, err = w.d.Keys.Unseal(ctx, wire.WebhookSecretName(c.Act.Schedule), c.Nonce, c.Box); err != nil {
		return key, err
	}
	switch {
	case !isSecret(key, c.Act.SecretHash):
		return secret.Value{}, errHash
	case utf8.RuneCountInString(key.Reveal()) < wire.MinWebhookSecret:
		return secret.Value{}, errShort
	}
	return key, nil
}

// isSecret says whether a value is the one that was signed for.
func isSecret(key secret.Value, hash string) bool {
	return !key.Empty() && subtle.ConstantTimeCompare([]byte(proof.Hash([]byte(key.Reveal()))), []byte(hash)) == 1
}

// act carries out an act inside a transaction.
func (w *Webhooks) act(ctx context.Context, t txn, c wire.WebhookChange, bind Bind) error {
	a := c.Act
	g, err := scanTarget(t.db.QueryRow(t.tx, targetQuery, a.Schedule))
	switch {
	case err != nil && !errors.Is(err, errNoTarget):
		return err
	case g.lastAct == a.ID:
		return nil
	case err != nil && a.Do == wire.WebhookConfirm:
		return errNone
	}
	key := ""
	if a.Do.Signed() {
		if key, err = w.d.Signed.Change(ctx, t.tx, wire.ChangeWebhook, a, c.Signature); err != nil {
			return err
		}
	}
	basis, err := bind(t.tx)
	if err != nil {
		return err
	}
	if a.Do == wire.WebhookSet {
		g.url, g.secretHash = a.URL, a.SecretHash
	}
	g.schedule, g.basis, g.lastAct, g.by = a.Schedule, basis, a.ID, c.By
	if err := w.keep(t, g); err != nil {
		return err
	}
	if a.Do == wire.WebhookRemove {
		if err := w.Drop(t.tx, a.Schedule); err != nil {
			return err
		}
	}
	return w.receipt(t, "schedule.webhook", "", map[string]any{
		"schedule": a.Schedule, "do": a.Do, "address": shown(g.url), "by": c.By, "key_id": key,
	})
}

// keep stores an address.
func (w *Webhooks) keep(t txn, g target) error {
	origin, err := json.Marshal(g.by)
	if err != nil {
		return fmt.Errorf("keep address: %w", err)
	}
	err = t.exec(`INSERT INTO schedule_webhooks (schedule, url, secret_hash, basis, origin, last_act, updated_at) VALUES (?,?,?,?,?,?,?)
		ON CONFLICT (schedule) DO UPDATE SET url = excluded.url, secret_hash = excluded.secret_hash, basis = excluded.basis,
		origin = excluded.origin, last_act = excluded.last_act, updated_at = excluded.updated_at`,
		g.schedule, g.url, g.secretHash, g.basis, string(origin), g.lastAct, micros(w.now()))
	if err == nil {
		t.db.OnCommit(t.tx, func() { w.signed.set(g.schedule, g.url) })
	}
	return err
}

// Drop has no result of a schedule sent anymore, also none that is on its way. The secret goes at the next Tidy.
func (w *Webhooks) Drop(tx *sql.Tx, schedule string) error {
	t := w.in(tx)
	t.db.OnCommit(tx, func() { w.signed.set(schedule, "") })
	return errors.Join(
		t.exec("UPDATE schedule_webhooks SET url = '' WHERE schedule = ?", schedule),
		t.exec("UPDATE schedule_deliveries SET state = 'held', reason = ?, text = '', next_at = 0 WHERE schedule = ? AND state = 'waiting'",
			heldRemoved, schedule))
}

var errSetAgain = errors.New("an address is set again")

// dropKey takes the secret of an address that was removed out of the vault, unless another one was set meanwhile.
func (w *Webhooks) dropKey(ctx context.Context, schedule string) error {
	err := w.d.Keys.Drop(ctx, wire.WebhookSecretName(schedule), wire.DecidedBy{Name: "agentd"}, func(tx *sql.Tx) error {
		t := w.in(tx)
		_, err := scanTarget(t.db.QueryRow(tx, targetQuery, schedule))
		switch {
		case err == nil:
			return errSetAgain
		case !errors.Is(err, errNoTarget):
			return err
		}
		return nil
	})
	if errors.Is(err, errSetAgain) {
		return nil
	}
	return err
}

// dropKeys does so for all of them that are still there, and then drops what is left of their addresses.
func (w *Webhooks) dropKeys(ctx context.Context) (err error) {
	var list string
	err = w.d.DB.Read().QueryRowContext(ctx, "SELECT json_group_array(schedule) FROM schedule_webhooks WHERE url = ''").Scan(&list)
	if err != nil {
		return fmt.Errorf("read addresses: %w", err)
	}
	var gone []string
	if err := json.Unmarshal([]byte(list), &gone); err != nil {
		return fmt.Errorf("read addresses: %w", err)
	}
	for _, schedule := range gone {
		dropErr := w.dropKey(ctx, schedule)
		if dropErr == nil {
			dropErr = w.write(ctx, func(t txn) error {
				return t.exec("DELETE FROM schedule_webhooks WHERE schedule = ? AND url = ''", schedule)
			})
		}
		err = errors.Join(err, dropErr)
	}
	return err
}

// hostOf is the host of an address, as rules and scans name it.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Host
}
