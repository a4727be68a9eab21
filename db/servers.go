package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/server"
)

// Servers keeps servers and their registration tokens. It is server.Store.
type Servers struct{ DB *DB }

var _ server.Store = (*Servers)(nil)

// serverRow mirrors table servers.
type serverRow struct {
	bun.BaseModel `bun:"table:servers,alias:s"`
	ID            string          `bun:"id,pk"`
	CustomerID    string          `bun:"customer_id"`
	OrderID       string          `bun:"order_id"`
	Slug          string          `bun:"slug"`
	Provider      string          `bun:"provider"`
	State         string          `bun:"state"`
	PublicKey     string          `bun:"public_key,nullzero"`
	KeyID         string          `bun:"key_id,nullzero"`
	SealKey       string          `bun:"seal_key,nullzero"`
	AgentdVersion string          `bun:"agentd_version"`
	Beat          json.RawMessage `bun:"beat,type:jsonb,nullzero"`
	BeatAt        time.Time       `bun:"beat_at,nullzero"`
	RegisteredAt  time.Time       `bun:"registered_at,nullzero"`
	RevokedAt     time.Time       `bun:"revoked_at,nullzero"`
	CreatedAt     time.Time       `bun:"created_at"`
	Next          bool            `bun:"next,scanonly"` // decided by the database
	LinkKey       string          `bun:"link_key,nullzero"`
	LinkKeyAt     time.Time       `bun:"link_key_at,nullzero"`
	LinkKeyTried  time.Time       `bun:"link_key_tried,nullzero"`
}

func (r serverRow) server() server.Server {
	s := server.Server{
		ID: server.ID(r.ID), CustomerID: account.CustomerID(r.CustomerID), OrderID: r.OrderID, Slug: r.Slug, Provider: r.Provider,
		State: server.State(r.State), PublicKey: r.PublicKey, KeyID: r.KeyID, SealKey: r.SealKey, AgentdVersion: r.AgentdVersion,
		BeatAt: r.BeatAt, RegisteredAt: r.RegisteredAt, RevokedAt: r.RevokedAt, CreatedAt: r.CreatedAt,
		LinkKey: r.LinkKey, LinkKeyAt: r.LinkKeyAt,
	}
	var b wire.Heartbeat
	if len(r.Beat) > 0 && json.Unmarshal(r.Beat, &b) == nil { // a heartbeat of another version reads as none
		s.Beat = &b
	}
	return s
}

// Create adds a server; adding the server of the same order again changes nothing.
func (s *Servers) Create(ctx context.Context, v server.Server) error {
	row := &serverRow{
		ID: string(v.ID), CustomerID: string(v.CustomerID), OrderID: v.OrderID, Slug: v.Slug, Provider: v.Provider,
		State: string(server.New), CreatedAt: v.CreatedAt,
	}
	if _, err := s.DB.NewInsert().Model(row).On("CONFLICT (order_id) DO NOTHING").Exec(ctx); err != nil {
		if violated(err, "servers_one") {
			return server.ErrOneOnly
		}
		return fmt.Errorf("store server: %w", toFault(err))
	}
	return nil
}

// MoveTo changes the provider of a server that never registered.
func (s *Servers) MoveTo(ctx context.Context, id server.ID, provider string) error {
	_, err := s.DB.NewUpdate().Model((*serverRow)(nil)).Set("provider = ?", provider).Where("s.id = ?",
		id).Where("s.registered_at IS NULL").Exec(ctx)
	if err != nil {
		return fmt.Errorf("move server: %w", toFault(err))
	}
	return nil
}

// Remove forgets a server that never registered, and takes it off its order: the order was cancelled.
func (s *Servers) Remove(ctx context.Context, of account.CustomerID, id server.ID) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		_, err := tx.NewUpdate().Model((*orderRow)(nil)).Set("server_id = NULL").
			Where("o.customer_id = ?", of).Where("o.server_id = ?", id).Where("o.state = 'CANCELLED'").Exec(ctx)
		if err != nil {
			return fmt.Errorf("take server off its order: %w", toFault(err))
		}
		_, err = tx.NewDelete().Model((*serverRow)(nil)).
			Where("s.customer_id = ?", of).Where("s.id = ?", id).Where("s.registered_at IS NULL").Exec(ctx)
		if err != nil {
			return fmt.Errorf("remove server: %w", toFault(err))
		}
		return nil
	})
}

// Get finds a server of that customer.
func (s *Servers) Get(ctx context.Context, of account.CustomerID, id server.ID) (server.Server, error) {
	return s.one(ctx, s.DB.NewSelect().Where("s.customer_id = ?", of).Where("s.id = ?", id))
}

// Of finds the customer's server.
func (s *Servers) Of(ctx context.Context, of account.CustomerID) (server.Server, error) {
	return s.one(ctx, s.DB.NewSelect().Where("s.customer_id = ?", of).Where("s.revoked_at IS NULL").Where("NOT s.next"))
}

// Find finds a server whoever has it.
func (s *Servers) Find(ctx context.Context, id server.ID) (server.Server, error) {
	return s.one(ctx, s.DB.NewSelect().Where("s.id = ?", id))
}

// OfOrder finds the server that an order led to.
func (s *Servers) OfOrder(ctx context.Context, orderID string) (server.Server, error) {
	return s.one(ctx, s.DB.NewSelect().Where("s.order_id = ?", orderID))
}

func (s *Servers) one(ctx context.Context, q *bun.SelectQuery) (server.Server, error) {
	var row serverRow
	if err := q.Model(&row).Scan(ctx); err != nil {
		return server.Server{}, fmt.Errorf("load server: %w", toFault(err))
	}
	return row.server(), nil
}

// namedServer is a server with the name of its customer.
type namedServer struct {
	serverRow    `bun:",extend"`
	CustomerName string `bun:"customer_name"`
}

func (r namedServer) server() server.Server {
	v := r.serverRow.server()
	v.CustomerName = r.CustomerName
	return v
}

// List gives the servers that f leaves with the names of their customers, newest first.
func (s *Servers) List(ctx context.Context, f server.Filter, ask page.Ask) (page.Of[server.Server], error) {
	var rows []namedServer
	q := s.DB.NewSelect().Model(&rows).Column("s.*").ColumnExpr("c.name AS customer_name").Join("JOIN customers AS c ON c.id = s.customer_id")
	switch f.State {
	case "":
	case server.Held:
		q = q.Where("EXISTS (SELECT FROM receipt_holds AS rh WHERE rh.server_id = s.id AND rh.released_at IS NULL)")
	default:
		q = q.Where("s.state = ?", f.State)
	}
	if err := searched(newestFirst(q, "s", ask), ask, "s.id", "s.slug").Scan(ctx); err != nil {
		return page.Of[server.Server]{}, fmt.Errorf("list servers: %w", toFault(err))
	}
	return page.Cut(each(rows, namedServer.server), ask.Limit, func(v server.Server) string { return string(v.ID) }), nil
}

// Counts says how many servers are in each state.
func (s *Servers) Counts(ctx context.Context) (map[server.State]int, error) {
	var rows []struct {
		State server.State `bun:"state"`
		N     int          `bun:"n"`
	}
	if err := s.DB.NewRaw("SELECT state, count(*) AS n FROM servers GROUP BY state").Scan(ctx, &rows); err != nil {
		return nil, fmt.Errorf("count servers: %w", toFault(err))
	}
	counts := map[server.State]int{}
	for _, r := range rows {
		counts[r.State] = r.N
	}
	return counts, nil
}

// Revoke cuts a server off for good and records who did it.
func (s *Servers) Revoke(ctx context.Context, of account.CustomerID, id server.ID, now time.Time, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		res, err := tx.NewUpdate().Model((*serverRow)(nil)).Set("revoked_at = ?", now).Set("state = 'revoked'").
			Where("s.customer_id = ?", of).Where("s.id = ?", id).Where("s.revoked_at IS NULL").Exec(ctx)
		if err != nil {
			return fmt.Errorf("revoke server: %w", toFault(err))
		}
		if err := oneRow(res); err != nil {
			return err
		}
		return writeAudit(ctx, tx, e)
	})
}
