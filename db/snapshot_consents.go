package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/machine"
	"gatehouse/app/server"
	"gatehouse/app/work"
)

// SnapshotConsents keeps which owners agree to snapshots, and finds which are due. It is machine.ConsentStore and machine.DailyStore.
type SnapshotConsents struct{ *MachineActs }

var (
	_ machine.ConsentStore = SnapshotConsents{}
	_ machine.DailyStore   = SnapshotConsents{}
)

// consentRow mirrors table snapshot_consents.
type consentRow struct {
	bun.BaseModel `bun:"table:snapshot_consents,alias:sk"`
	CustomerID    string    `bun:"customer_id,pk"`
	UserID        string    `bun:"user_id"`
	At            time.Time `bun:"at"`
}

// Agreed says since when a customer agrees to snapshots; zero: not at all.
func (s *MachineActs) Agreed(ctx context.Context, of account.CustomerID) (time.Time, error) {
	var row consentRow
	err := s.DB.bun(ctx).NewSelect().Model(&row).Where("sk.customer_id = ?", of).Scan(ctx)
	if err = toFault(err); errors.Is(err, ErrNotFound) {
		return time.Time{}, nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("find consent: %w", err)
	}
	return row.At, nil
}

// Agree keeps that a customer agrees. Who agrees already stays agreed since then.
func (s SnapshotConsents) Agree(ctx context.Context, of account.CustomerID, user account.UserID, now time.Time, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		made, err := insertConsent(ctx, tx, consentRow{CustomerID: string(of), UserID: string(user), At: now})
		if err != nil || !made {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
}

func insertConsent(ctx context.Context, tx Tx, row consentRow) (made bool, err error) {
	res, err := tx.NewInsert().Model(&row).On("CONFLICT DO NOTHING").Exec(ctx)
	if err != nil {
		return false, fmt.Errorf("keep consent: %w", toFault(err))
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// Withdraw removes the consent and queues the work that deletes what there is.
func (s SnapshotConsents) Withdraw(ctx context.Context, of account.CustomerID, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewDelete().Model((*consentRow)(nil)).Where("sk.customer_id = ?", of).Exec(ctx)
		if err != nil {
			return fmt.Errorf("remove consent: %w", toFault(err))
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		if err := writeAudit(ctx, tx, e); err != nil {
			return err
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, []work.Item{work.DropSnapshots{CustomerID: string(of)}})
	})
}

// copied are the servers of which snapshots are made: their owners agree, and somebody is there to serve.
const copied = `s.provider IN (?) AND s.registered_at IS NOT NULL AND s.revoked_at IS NULL`

// minuteOf is when in the day a server has its turn. It is the same each day, and spreads servers evenly.
const minuteOf = `('x' || substr(md5(s.id::text), 1, 7))::bit(28)::int % 1440`

// Due lists the servers whose snapshot of that name is due.
func (s SnapshotConsents) Due(ctx context.Context, providers []string, name string, now time.Time, limit int) (ids []server.ID, err error) {
	if len(providers) == 0 {
		return nil, nil
	}
	minute := now.UTC().Hour()*60 + now.UTC().Minute()
	err = s.DB.bun(ctx).NewSelect().Model((*serverRow)(nil)).Column("s.id").
		Join("JOIN snapshot_consents AS sk ON sk.customer_id = s.customer_id").
		Where(copied, bun.List(providers)).Where(minuteOf+" <= ?", minute).
		Where(`NOT EXISTS (SELECT 1 FROM machine_acts ma WHERE ma.server_id = s.id
			AND (ma.ended_at IS NULL OR ma.verb = ? AND ma.name = ?))`, machine.Take, name).
		OrderExpr(minuteOf).Order("s.id").Limit(int64(limit)).Scan(ctx, &ids)
	if err != nil {
		return nil, fmt.Errorf("find due snapshots: %w", toFault(err))
	}
	return ids, nil
}

// ServersOf lists all servers that a customer has or had.
func (s SnapshotConsents) ServersOf(ctx context.Context, of account.CustomerID) ([]server.Server, error) {
	var rows []serverRow
	if err := s.DB.bun(ctx).NewSelect().Model(&rows).Where("s.customer_id = ?", of).Order("s.id").Scan(ctx); err != nil {
		return nil, fmt.Errorf("list servers: %w", toFault(err))
	}
	return each(rows, serverRow.server), nil
}

// late notes which servers have no new daily snapshot since a time, unless our staff were told since then.
const late = `INSERT INTO machines_seen AS ms (server_id, late_told_at)
	SELECT s.id, ?0 FROM servers AS s JOIN snapshot_consents AS sk ON sk.customer_id = s.customer_id
	WHERE s.provider IN (?1) AND s.registered_at < ?2 AND s.revoked_at IS NULL AND sk.at < ?2
	AND NOT EXISTS (SELECT 1 FROM machine_snapshots sn WHERE sn.server_id = s.id AND sn.ready AND sn.made_at >= ?2
		AND sn.name LIKE 'gatehouse-daily-%')
	ON CONFLICT (server_id) DO UPDATE SET late_told_at = excluded.late_told_at
	WHERE ms.late_told_at IS NULL OR ms.late_told_at < ?2
	RETURNING ms.server_id::text`

// TellLate notes of which servers our staff are told, and queues a letter to each of them whose role is one of roles.
func (s SnapshotConsents) TellLate(ctx context.Context, providers []string, now, before time.Time, roles []string) (told int, err error) {
	if len(providers) == 0 {
		return 0, nil
	}
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		var servers, clerks []string
		if err := tx.NewRaw(late, now, bun.List(providers), before).Scan(ctx, &servers); err != nil {
			return fmt.Errorf("note late snapshots: %w", toFault(err))
		}
		if told = len(servers); told == 0 {
			return nil
		}
		err := tx.NewSelect().Model((*staffRow)(nil)).Column("st.id").Where("st.off_at IS NULL").Where("st.role IN (?)", bun.List(roles)).
			Scan(ctx, &clerks)
		if err != nil {
			return fmt.Errorf("list staff: %w", toFault(err))
		}
		var letters []work.Item
		for _, id := range servers {
			for _, clerk := range clerks {
				ref := id + "." + now.Format(time.DateOnly)
				letters = append(letters, work.SendMail{Template: machine.LetterLate, UserID: clerk, Ref: ref})
			}
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, letters)
	})
	return told, err
}
