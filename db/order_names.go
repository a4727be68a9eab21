package db

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"gatehouse/app/dns"
	"gatehouse/app/naming"
	"gatehouse/app/order"
)

// Names keeps what is known of the names of orders' servers. It is naming.Store.
type Names struct{ DB *DB }

var _ naming.Store = (*Names)(nil)

// nameRow mirrors table order_names.
type nameRow struct {
	bun.BaseModel `bun:"table:order_names,alias:n"`
	OrderID       string      `bun:"order_id,pk"`
	Host          string      `bun:"host"`
	Provider      string      `bun:"provider"`
	Addresses     []string    `bun:"addresses,array"`
	Since         time.Time   `bun:"since,nullzero"`
	Looks         int         `bun:"looks"`
	LookedAt      time.Time   `bun:"looked_at,nullzero"`
	NextAt        time.Time   `bun:"next_at,nullzero"`
	Problem       string      `bun:"problem"`
	Detail        string      `bun:"detail"`
	Report        *dns.Report `bun:"report,type:jsonb,nullzero"`
}

// Get finds what is known of an order's name; nothing yet is the zero Name.
func (s *Names) Get(ctx context.Context, id order.ID) (naming.Name, error) {
	var r nameRow
	err := toFault(s.DB.NewSelect().Model(&r).Where("n.order_id = ?", id).Scan(ctx))
	if errors.Is(err, ErrNotFound) {
		return naming.Name{}, nil
	}
	if err != nil {
		return naming.Name{}, fmt.Errorf("load name: %w", err)
	}
	n := naming.Name{
		OrderID: order.ID(r.OrderID), Host: r.Host, Provider: r.Provider, Since: r.Since, Looks: r.Looks, LookedAt: r.LookedAt,
		NextAt: r.NextAt, Problem: naming.Problem(r.Problem), Detail: r.Detail, Report: r.Report,
	}
	for _, text := range r.Addresses {
		a, err := netip.ParseAddr(text)
		if err != nil {
			return naming.Name{}, fmt.Errorf("load name: %w", err)
		}
		n.Addresses = append(n.Addresses, a)
	}
	return n, nil
}

// Save keeps all of it.
func (s *Names) Save(ctx context.Context, n naming.Name) error {
	r := nameRow{
		OrderID: string(n.OrderID), Host: n.Host, Provider: n.Provider, Addresses: each(n.Addresses, netip.Addr.String), Since: n.Since,
		Looks: n.Looks, LookedAt: n.LookedAt, NextAt: n.NextAt, Problem: string(n.Problem), Detail: n.Detail, Report: n.Report,
	}
	_, err := s.DB.NewInsert().Model(&r).On("CONFLICT (order_id) DO UPDATE").
		Set("host = excluded.host, provider = excluded.provider, addresses = excluded.addresses, since = excluded.since").
		Set("looks = excluded.looks, looked_at = excluded.looked_at, next_at = excluded.next_at").
		Set("problem = excluded.problem, detail = excluded.detail, report = excluded.report").Exec(ctx)
	if err != nil {
		return fmt.Errorf("save name: %w", toFault(err))
	}
	return nil
}

// Seen keeps what a look found between those that the hub does by itself, if the name is still the same.
func (s *Names) Seen(ctx context.Context, n naming.Name) error {
	_, err := s.DB.NewUpdate().Model((*nameRow)(nil)).Set("looked_at = ?", n.LookedAt).
		Set("problem = ?", n.Problem).Set("detail = ?", n.Detail).
		Set("report = ?", n.Report).Where("n.order_id = ?", n.OrderID).Where("n.host = ?", n.Host).
		Where("n.addresses = ?", pgdialect.Array(each(n.Addresses, netip.Addr.String))).Exec(ctx)
	if err != nil {
		return fmt.Errorf("save look at name: %w", toFault(err))
	}
	return nil
}
