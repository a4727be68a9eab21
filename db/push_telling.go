package db

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gatehouse/app/account"
	"gatehouse/app/push"
	"gatehouse/app/work"
)

// Changed has the devices of the customer's people told, once the transaction of ctx is committed, what waits now.
func (s *PushDevices) Changed(ctx context.Context, of account.CustomerID) error {
	return s.tell(ctx, "SELECT id::text FROM push_devices WHERE customer_id = @of", named{"of": of})
}

// tell queues, in the transaction of ctx, a look at the devices that a query finds.
func (s *PushDevices) tell(ctx context.Context, find string, args named) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		rows, err := tx.PGX.Query(ctx, find, cached, args)
		if err != nil {
			return fmt.Errorf("find devices: %w", toFault(err))
		}
		items, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (work.Item, error) {
			var d work.TellDevice
			err := row.Scan(&d.DeviceID)
			return d, err
		})
		if err != nil {
			return fmt.Errorf("find devices: %w", toFault(err))
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, items)
	})
}

// Quiet is when a person is not told.
func (s *PushDevices) Quiet(ctx context.Context, user account.UserID) (q push.Quiet, err error) {
	err = s.DB.pgx(ctx).QueryRow(ctx, `SELECT coalesce(q.starts, 0), coalesce(q.ends, 0) FROM users u
		LEFT JOIN quiet_hours q ON q.user_id = u.id WHERE u.id = @user`, named{"user": user}).Scan(&q.From, &q.To)
	if err != nil {
		return push.Quiet{}, fmt.Errorf("read quiet hours: %w", toFault(err))
	}
	return q, nil
}

// SetQuiet keeps when a person is not told, and looks again at what their devices should show now.
func (s *PushDevices) SetQuiet(ctx context.Context, of account.CustomerID, user account.UserID, q push.Quiet) error {
	sql := `INSERT INTO quiet_hours (user_id, starts, ends) SELECT id, @from, @to FROM users WHERE id = @user AND customer_id = @of
		ON CONFLICT (user_id) DO UPDATE SET starts = excluded.starts, ends = excluded.ends`
	args := named{"user": user, "of": of, "from": q.From, "to": q.To}
	if !q.IsSet() {
		sql, args = "DELETE FROM quiet_hours q USING users u WHERE u.id = q.user_id AND u.id = @user AND u.customer_id = @of",
			named{"user": user, "of": of}
	}
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if _, err := tx.PGX.Exec(ctx, sql, args); err != nil {
			return fmt.Errorf("save quiet hours: %w", toFault(err))
		}
		return s.tell(ctx, "SELECT id::text FROM push_devices WHERE customer_id = @of AND user_id = @user", named{"of": of, "user": user})
	})
}

// takeDevice holds a device unless somebody else does; no row means that it is held, or gone.
const takeDevice = `UPDATE push_devices p SET busy_until = @until FROM users u JOIN customers c ON c.id = u.customer_id
		LEFT JOIN quiet_hours q ON q.user_id = u.id
	WHERE p.id = @device AND u.id = p.user_id AND (p.busy_until IS NULL OR p.busy_until <= @now)
	RETURNING p.id::text, p.customer_id::text, p.user_id::text, p.name, p.subscription, p.told::text[],
		coalesce(p.rang_at, 'epoch'), c.name, c.time_zone, u.locale, coalesce(q.starts, 0), coalesce(q.ends, 0)`

// Take holds a device until then for whoever tells it something, and reads what it should show.
func (s *PushDevices) Take(ctx context.Context, device string, now, until time.Time, limit int) (w push.Waiting, held bool, err error) {
	var box []byte
	db := s.DB.pgx(ctx)
	err = db.QueryRow(ctx, takeDevice, cached, named{"device": device, "now": now, "until": until}).Scan(
		&w.ID, &w.CustomerID, &w.UserID, &w.Name, &box, &w.Told, &w.RangAt, &w.Business, &w.Zone, &w.Locale, &w.Quiet.From, &w.Quiet.To)
	if errors.Is(err, pgx.ErrNoRows) { // held, or gone
		err = db.QueryRow(ctx, "SELECT true FROM push_devices WHERE id = @device", cached, named{"device": device}).Scan(&held)
	}
	if err != nil || held {
		return push.Waiting{}, held, taking(err)
	}
	plain, err := s.Keys.Open("push_devices", device, "subscription", box)
	if err != nil {
		return push.Waiting{}, false, taking(err)
	}
	if err := json.Unmarshal(plain, (*sealed)(&w.Subscription)); err != nil {
		return push.Waiting{}, false, taking(err)
	}
	return w, false, s.pending(ctx, &w, now, limit)
}

// taking is what went wrong with taking a device, if anything did.
func taking(err error) error {
	if err != nil {
		return fmt.Errorf("take device: %w", toFault(err))
	}
	return nil
}

// pending reads which requests wait for a person of the device's business.
func (s *PushDevices) pending(ctx context.Context, w *push.Waiting, now time.Time, limit int) error {
	const open = "FROM approvals WHERE customer_id = @of AND state = 'pending' AND expires_at > @now"
	db := s.DB.pgx(ctx)
	rows, err := db.Query(ctx, "SELECT id::text "+open+" ORDER BY id DESC LIMIT @limit", cached,
		named{"of": w.CustomerID, "now": now, "limit": limit})
	if err != nil {
		return taking(err)
	}
	if w.Pending, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
		return taking(err)
	}
	if w.Count = len(w.Pending); w.Count < limit {
		return nil
	}
	if err := db.QueryRow(ctx, "SELECT count(*) "+open, cached, named{"of": w.CustomerID, "now": now}).Scan(&w.Count); err != nil {
		return taking(err)
	}
	return nil
}

// Told gives a device back and keeps what it shows from now on.
func (s *PushDevices) Told(ctx context.Context, device string, shows []string, now, rang time.Time) error {
	if shows == nil {
		shows = []string{}
	}
	var sound *time.Time
	if !rang.IsZero() {
		sound = &rang
	}
	return s.giveBack(ctx, `UPDATE push_devices SET told = @shows::text[]::uuid[], told_at = @now, rang_at = coalesce(@rang, rang_at),
		failed_at = NULL, busy_until = NULL WHERE id = @device`,
		named{"device": device, "shows": shows, "now": now, "rang": sound})
}

// Failed gives a device back that could not be told.
func (s *PushDevices) Failed(ctx context.Context, device string, now time.Time) error {
	return s.giveBack(ctx, "UPDATE push_devices SET failed_at = coalesce(failed_at, @now), busy_until = NULL WHERE id = @device",
		named{"device": device, "now": now})
}

// Leave gives a device back that needed nothing.
func (s *PushDevices) Leave(ctx context.Context, device string) error {
	return s.giveBack(ctx, "UPDATE push_devices SET busy_until = NULL WHERE id = @device", named{"device": device})
}

// devicesOf lists the devices of people.
func devicesOf(ctx context.Context, tx Tx, people []string) ([]string, error) {
	rows, err := tx.PGX.Query(ctx, "SELECT id::text FROM push_devices WHERE user_id = ANY(@people::text[]::uuid[]) ORDER BY id", cached,
		named{"people": people})
	if err != nil {
		return nil, fmt.Errorf("find devices: %w", toFault(err))
	}
	devices, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("find devices: %w", toFault(err))
	}
	return devices, nil
}

// Asked says whether a support window waits for the owner.
func (s *PushDevices) Asked(ctx context.Context, window string) (waits bool, err error) {
	err = s.DB.pgx(ctx).QueryRow(ctx, "SELECT EXISTS (SELECT 1 FROM support_windows WHERE id = @id AND state = 'asked')",
		named{"id": window}).Scan(&waits)
	if err != nil {
		return false, fmt.Errorf("look at support window: %w", toFault(err))
	}
	return waits, nil
}

// Gone removes a device that takes no more messages.
func (s *PushDevices) Gone(ctx context.Context, device string) error {
	return s.giveBack(ctx, "DELETE FROM push_devices WHERE id = @device", named{"device": device})
}

// giveBack ends the time for which a device was held. One that was turned off meanwhile is no error.
func (s *PushDevices) giveBack(ctx context.Context, sql string, args named) error {
	if _, err := s.DB.pgx(ctx).Exec(ctx, sql, cached, args); err != nil {
		return fmt.Errorf("give device back: %w", toFault(err))
	}
	return nil
}
