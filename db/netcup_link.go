package db

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/app/audit"
	"gatehouse/app/providers"
)

// NetcupLink keeps how the hub is connected to netcup. It is providers.LinkStore.
type NetcupLink struct {
	DB   *DB
	Keys *Keyring // closes the tokens
}

var _ providers.LinkStore = (*NetcupLink)(nil)

// linkRow mirrors table netcup_link.
type linkRow struct {
	bun.BaseModel `bun:"table:netcup_link,alias:l"`
	One           bool      `bun:"one,pk"`
	Refresh       []byte    `bun:"refresh_sealed,nullzero"`
	Access        []byte    `bun:"access_sealed,nullzero"`
	AccessUntil   time.Time `bun:"access_until,nullzero"`
	AccountID     int64     `bun:"account_id"`
	Account       string    `bun:"account"`
	By            string    `bun:"by_name"`
	At            time.Time `bun:"at,nullzero"`
	RefreshedAt   time.Time `bun:"refreshed_at,nullzero"`
	Problem       string    `bun:"problem"`
	ProblemAt     time.Time `bun:"problem_at,nullzero"`
	Device        []byte    `bun:"device_sealed,nullzero"`
	AskCode       string    `bun:"ask_code"`
	AskPage       string    `bun:"ask_page"`
	AskBy         string    `bun:"ask_by"`
	AskAt         time.Time `bun:"ask_at,nullzero"`
	AskUntil      time.Time `bun:"ask_until,nullzero"`
	AskEvery      int64     `bun:"ask_every_ms"`
	AskNext       time.Time `bun:"ask_next,nullzero"`
	AskEnd        string    `bun:"ask_end"`
}

// seal closes a secret for its column; an empty one is none.
func (s *NetcupLink) seal(column, plain string) []byte {
	if plain == "" {
		return nil
	}
	return s.Keys.Seal("netcup_link", "one", column, []byte(plain))
}

func (s *NetcupLink) open(column string, box []byte) (string, error) {
	if box == nil {
		return "", nil
	}
	plain, err := s.Keys.Open("netcup_link", "one", column, box)
	return string(plain), err
}

func (s *NetcupLink) row(l providers.Link) linkRow {
	return linkRow{
		One: true, Refresh: s.seal("refresh_sealed", l.Refresh), Access: s.seal("access_sealed", l.Access), AccessUntil: l.AccessUntil,
		AccountID: l.AccountID, Account: l.Account, By: l.By, At: l.At, RefreshedAt: l.RefreshedAt,
		Problem: l.Problem, ProblemAt: l.ProblemAt, Device: s.seal("device_sealed", l.Ask.Device),
		AskCode: l.Ask.Code, AskPage: l.Ask.Page, AskBy: l.Ask.By, AskAt: l.Ask.At, AskUntil: l.Ask.Until,
		AskEvery: l.Ask.Every.Milliseconds(), AskNext: l.Ask.Next, AskEnd: string(l.Ask.End),
	}
}

func (s *NetcupLink) link(r linkRow) (providers.Link, error) {
	refresh, err1 := s.open("refresh_sealed", r.Refresh)
	access, err2 := s.open("access_sealed", r.Access)
	device, err3 := s.open("device_sealed", r.Device)
	if err := errors.Join(err1, err2, err3); err != nil {
		return providers.Link{}, fmt.Errorf("link to netcup: %w", err)
	}
	return providers.Link{
		Refresh: refresh, Access: access, AccessUntil: r.AccessUntil, AccountID: r.AccountID, Account: r.Account, By: r.By, At: r.At,
		RefreshedAt: r.RefreshedAt, Problem: r.Problem, ProblemAt: r.ProblemAt, Ask: providers.Ask{
			Device: device, Code: r.AskCode, Page: r.AskPage, By: r.AskBy, At: r.AskAt, Until: r.AskUntil,
			Every: time.Duration(r.AskEvery) * time.Millisecond, Next: r.AskNext, End: providers.End(r.AskEnd),
		},
	}, nil
}

// Link reads the link; without a row there is none yet.
func (s *NetcupLink) Link(ctx context.Context) (providers.Link, error) {
	return s.read(ctx, s.DB.bun(ctx).NewSelect())
}

func (s *NetcupLink) read(ctx context.Context, q *bun.SelectQuery) (providers.Link, error) {
	var r linkRow
	err := toFault(q.Model(&r).Scan(ctx))
	if errors.Is(err, ErrNotFound) {
		return providers.Link{}, nil
	}
	if err != nil {
		return providers.Link{}, fmt.Errorf("read link to netcup: %w", err)
	}
	return s.link(r)
}

// errJoined says that the link would change in a transaction that may be undone, and a token with it that works once.
var errJoined = errors.New("the link to netcup changes in a transaction of its own")

// Change locks the link, runs fn on it and saves it.
func (s *NetcupLink) Change(
	ctx context.Context, fn func(ctx context.Context, l *providers.Link) (*audit.Entry, error),
) (l providers.Link, err error) {
	if joins(ctx) {
		return l, errJoined
	}
	err = s.DB.InTx(ctx, func(ctx context.Context, tx Tx) (err error) {
		if _, err := tx.ExecContext(ctx, "INSERT INTO netcup_link DEFAULT VALUES ON CONFLICT DO NOTHING"); err != nil {
			return fmt.Errorf("lock link to netcup: %w", toFault(err))
		}
		if l, err = s.read(ctx, tx.NewSelect().For("UPDATE")); err != nil {
			return err
		}
		e, err := fn(ctx, &l)
		if err != nil {
			return err
		}
		row := s.row(l)
		if _, err := tx.NewUpdate().Model(&row).WherePK().Exec(ctx); err != nil {
			return fmt.Errorf("keep link to netcup: %w", toFault(err))
		}
		if e == nil {
			return nil
		}
		return writeAudit(ctx, tx, *e)
	})
	return l, err
}
