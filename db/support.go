package db

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/server"
	"gatehouse/app/support"
	"gatehouse/app/work"
)

// SupportWindows keeps support windows. It is support.Store.
type SupportWindows struct {
	DB    *DB
	Jobs  Enqueuer
	Links *Links
}

var _ support.Store = (*SupportWindows)(nil)

// supportRow mirrors table support_windows.
type supportRow struct {
	bun.BaseModel `bun:"table:support_windows,alias:sw"`
	ID            string    `bun:"id,pk"`
	CustomerID    string    `bun:"customer_id"`
	ServerID      string    `bun:"server_id"`
	StaffID       string    `bun:"staff_id"`
	StaffName     string    `bun:"staff_name"`
	KeyKind       string    `bun:"key_kind"`
	SPKI          string    `bun:"spki"`
	Purpose       string    `bun:"purpose"`
	Hours         int       `bun:"hours"`
	What          []string  `bun:"what,array"`
	State         string    `bun:"state"`
	AskedAt       time.Time `bun:"asked_at"`
	OpenedAt      time.Time `bun:"opened_at,nullzero"`
	Until         time.Time `bun:"until,nullzero"`
	EndedAt       time.Time `bun:"ended_at,nullzero"`
	Why           string    `bun:"why"`
	EndedBy       string    `bun:"ended_by"`
}

func toSupportRow(w support.Window) *supportRow {
	return &supportRow{
		ID: w.ID, CustomerID: string(w.CustomerID), ServerID: string(w.Server), StaffID: w.StaffID, StaffName: w.Staff,
		KeyKind: string(w.Kind), SPKI: w.SPKI, Purpose: w.Purpose, Hours: w.Hours,
		What:  each(w.What, func(k wire.SupportKind) string { return string(k) }),
		State: string(w.State), AskedAt: w.AskedAt, OpenedAt: w.OpenedAt, Until: w.Until, EndedAt: w.EndedAt, Why: w.Why,
		EndedBy: w.EndedBy,
	}
}

func (r supportRow) window() support.Window {
	return support.Window{
		ID: r.ID, CustomerID: account.CustomerID(r.CustomerID), Server: server.ID(r.ServerID), StaffID: r.StaffID, Staff: r.StaffName,
		Kind: wire.KeyKind(r.KeyKind), SPKI: r.SPKI, Purpose: r.Purpose, Hours: r.Hours,
		What:  each(r.What, func(k string) wire.SupportKind { return wire.SupportKind(k) }),
		State: support.State(r.State), AskedAt: r.AskedAt, OpenedAt: r.OpenedAt, Until: r.Until, EndedAt: r.EndedAt, Why: r.Why,
		EndedBy: r.EndedBy,
	}
}

// Add keeps what one of our staff asks for in place of what they asked of this server before and nobody answered, records e,
// and has the owners sent a letter.
func (s *SupportWindows) Add(ctx context.Context, w support.Window, letter work.SendMail, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.NewUpdate().Model((*supportRow)(nil)).Set("state = 'withdrawn'").Set("ended_at = ?",
			w.AskedAt).Set("ended_by = ?", w.Staff).
			Where("sw.server_id = ?", w.Server).Where("sw.staff_id = ?", w.StaffID).Where("sw.state = 'asked'").Exec(ctx)
		if err != nil {
			return fmt.Errorf("withdraw support window: %w", toFault(err))
		}
		if _, err := tx.NewInsert().Model(toSupportRow(w)).Exec(ctx); err != nil {
			return fmt.Errorf("store support window: %w", toFault(err))
		}
		if err := (&Approvers{DB: s.DB, Jobs: s.Jobs}).tellOwners(ctx, tx, w.Server, letter); err != nil {
			return err
		}
		if err := s.tellDevices(ctx, tx, w); err != nil {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
}

// tellDevices queues a message to each device of the owners.
func (s *SupportWindows) tellDevices(ctx context.Context, tx Tx, w support.Window) error {
	owners, err := ownersOf(ctx, tx, string(w.CustomerID))
	if err != nil {
		return err
	}
	devices, err := devicesOf(ctx, tx, owners)
	if err != nil {
		return err
	}
	return s.Jobs.EnqueueTx(ctx, tx.PGX, each(devices, func(id string) work.Item {
		return work.TellSupport{DeviceID: id, Window: w.ID}
	}))
}

// Asks counts what one of our staff has asked for on a server since a time.
func (s *SupportWindows) Asks(ctx context.Context, on server.ID, staffID string, since time.Time) (int, error) {
	n, err := s.DB.bun(ctx).NewSelect().Model((*supportRow)(nil)).Where("sw.server_id = ?", on).Where("sw.staff_id = ?", staffID).
		Where("sw.asked_at > ?", since).Count(ctx)
	if err != nil {
		return 0, fmt.Errorf("count support windows: %w", toFault(err))
	}
	return int(n), nil
}

// Find finds a window.
func (s *SupportWindows) Find(ctx context.Context, id string) (support.Window, error) {
	var row supportRow
	if err := s.DB.bun(ctx).NewSelect().Model(&row).Where("sw.id = ?", id).Scan(ctx); err != nil {
		return support.Window{}, fmt.Errorf("find support window: %w", toFault(err))
	}
	return row.window(), nil
}

// List is a page of the windows of a customer, newest first.
func (s *SupportWindows) List(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[support.Window], error) {
	return s.list(ctx, ask, "sw.customer_id = ?", of)
}

// OfServer is a page of the windows of a server, newest first.
func (s *SupportWindows) OfServer(ctx context.Context, id server.ID, ask page.Ask) (page.Of[support.Window], error) {
	return s.list(ctx, ask, "sw.server_id = ?", id)
}

func (s *SupportWindows) list(ctx context.Context, ask page.Ask, where string, of any) (page.Of[support.Window], error) {
	var rows []supportRow
	if err := newestFirst(s.DB.bun(ctx).NewSelect().Model(&rows).Where(where, of), "sw", ask).Scan(ctx); err != nil {
		return page.Of[support.Window]{}, fmt.Errorf("list support windows: %w", toFault(err))
	}
	return page.Cut(each(rows, supportRow.window), ask.Limit, func(w support.Window) string { return w.ID }), nil
}

// Standing counts the windows of a customer that wait for the owner since a time, and those that are open at another.
func (s *SupportWindows) Standing(ctx context.Context, of account.CustomerID, since, now time.Time) (asked, open int, err error) {
	err = s.DB.bun(ctx).NewSelect().Model((*supportRow)(nil)).
		ColumnExpr("count(*) FILTER (WHERE sw.state = 'asked' AND sw.asked_at > ?)", since).
		ColumnExpr("count(*) FILTER (WHERE sw.state = 'open' AND sw.until > ?)", now).
		Where("sw.customer_id = ?", of).Scan(ctx, &asked, &open)
	if err != nil {
		return 0, 0, fmt.Errorf("count support windows: %w", toFault(err))
	}
	return asked, open, nil
}

// OpenFor says whether a window of a server is open at a time for one of our staff, with a kind of content in it.
func (s *SupportWindows) OpenFor(
	ctx context.Context, on server.ID, staffID string, k wire.SupportKind, now time.Time,
) (bool, error) {
	open, err := s.DB.bun(ctx).NewSelect().Model((*supportRow)(nil)).Where("sw.server_id = ?", on).Where("sw.staff_id = ?", staffID).
		Where("sw.state = 'open'").Where("sw.until > ?", now).Where("? = ANY (sw.what)", string(k)).Exists(ctx)
	if err != nil {
		return false, fmt.Errorf("look for open support window: %w", toFault(err))
	}
	return open, nil
}

// End ends a window that is still in the state from, and records e; false when it is not. f, unless it is nil, goes to the
// server in the same transaction.
func (s *SupportWindows) End(ctx context.Context, w support.Window, from support.State, f wire.Frame, e audit.Entry) (ended bool,
	err error,
) {
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewUpdate().Model(toSupportRow(w)).Column("state", "ended_at", "why", "ended_by").WherePK().
			Where("sw.state = ?", string(from)).Exec(ctx)
		if err != nil {
			return fmt.Errorf("end support window: %w", toFault(err))
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return err
		}
		ended = true
		if err := s.Links.Put(ctx, w.Server, f); err != nil {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
	return ended, err
}

// Opened keeps that the server has opened a window, and records e.
func (s *SupportWindows) Opened(ctx context.Context, id server.ID, st wire.SupportState, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		if err := s.Report(ctx, id, st); err != nil {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
}

// Report keeps what a server says about a window. One that was closed or sent away here stays so, whatever arrives late.
func (s *SupportWindows) Report(ctx context.Context, id server.ID, st wire.SupportState) error {
	q := s.DB.bun(ctx).NewUpdate().Model((*supportRow)(nil)).Where("sw.id = ?", st.ID).Where("sw.server_id = ?", id).
		Set("opened_at = ?", st.OpenedAt).Set("until = ?", st.Until)
	if st.Why == "" {
		q = q.Set("state = 'open'").Set("ended_at = NULL").Set("ended_by = ''").Where("sw.state IN ('asked', 'open')")
	} else {
		q = q.Set("state = 'ended'").Set("ended_at = ?", st.ClosedAt).Set("why = ?", st.Why).Set("ended_by = ?", st.By)
	}
	if _, err := q.Exec(ctx); err != nil {
		return fmt.Errorf("store state of support window: %w", toFault(err))
	}
	return nil
}

// supportLookRow mirrors table support_looks.
type supportLookRow struct {
	bun.BaseModel `bun:"table:support_looks,alias:sl"`
	ID            string    `bun:"id,pk"`
	WindowID      string    `bun:"window_id"`
	StaffName     string    `bun:"staff_name"`
	See           string    `bun:"see"`
	At            time.Time `bun:"at"`
	Refused       string    `bun:"refused"`
}

func (r supportLookRow) look() support.Look {
	return support.Look{ID: r.ID, Staff: r.StaffName, See: wire.SupportSee(r.See), At: r.At, Refused: r.Refused}
}

// Looked keeps a line about a look through a window of that server; of a window that is none of them, none.
func (s *SupportWindows) Looked(ctx context.Context, id server.ID, l wire.SupportLine) error {
	db := s.DB.bun(ctx)
	known, err := db.NewSelect().Model((*supportRow)(nil)).Where("sw.id = ?", l.Window).Where("sw.server_id = ?", id).Exists(ctx)
	if err != nil {
		return fmt.Errorf("find window of a look: %w", toFault(err))
	}
	if !known {
		return nil
	}
	row := &supportLookRow{ID: l.ID, WindowID: l.Window, StaffName: l.Staff, See: string(l.See), At: l.At, Refused: l.Refused}
	if _, err := db.NewInsert().Model(row).On("CONFLICT (id) DO NOTHING").Exec(ctx); err != nil {
		return fmt.Errorf("store look: %w", toFault(err))
	}
	return nil
}

// Looks lists the newest looks through a window, newest first.
func (s *SupportWindows) Looks(ctx context.Context, window string, limit int) ([]support.Look, error) {
	var rows []supportLookRow
	err := s.DB.bun(ctx).NewSelect().Model(&rows).Where("sl.window_id = ?", window).Order("sl.id DESC").Limit(int64(limit)).Scan(ctx)
	if err != nil {
		return nil, fmt.Errorf("list looks: %w", toFault(err))
	}
	return each(rows, supportLookRow.look), nil
}
