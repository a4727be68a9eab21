package db

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"gatehouse/agentd/wire"
	"gatehouse/app/audit"
	"gatehouse/app/server"
	"gatehouse/app/work"
)

// ServerCommands keeps what our staff had servers do. It is server.CommandStore.
type ServerCommands struct {
	DB   *DB
	Jobs Enqueuer
}

var _ server.CommandStore = (*ServerCommands)(nil)

// commandRow mirrors table server_commands.
type commandRow struct {
	bun.BaseModel `bun:"table:server_commands,alias:sc"`
	ID            string          `bun:"id,pk"`
	ServerID      string          `bun:"server_id"`
	Verb          string          `bun:"verb"`
	Container     string          `bun:"container"`
	ByName        string          `bun:"by_name"`
	Signed        string          `bun:"signed"`
	Sig           string          `bun:"sig"`
	State         string          `bun:"state"`
	Said          string          `bun:"said"`
	Containers    json.RawMessage `bun:"containers,type:jsonb,nullzero"`
	At            time.Time       `bun:"at"`
	Until         time.Time       `bun:"until"`
	EndedAt       time.Time       `bun:"ended_at,nullzero"`
}

func (r commandRow) command() (server.Command, error) {
	c := server.Command{
		ID: r.ID, ServerID: server.ID(r.ServerID), Verb: wire.CommandVerb(r.Verb), Container: r.Container, By: r.ByName,
		State: server.CommandState(r.State), Said: r.Said, At: r.At, Until: r.Until, EndedAt: r.EndedAt,
		Signed: wire.SignedCommand{Text: r.Signed, Sig: r.Sig},
	}
	if len(r.Containers) > 0 {
		if err := json.Unmarshal(r.Containers, &c.Containers); err != nil {
			return c, fmt.Errorf("read containers of command %s: %w", r.ID, err)
		}
	}
	return c, nil
}

// Add keeps a command, records e and queues the work that sends it: all or nothing.
func (s *ServerCommands) Add(ctx context.Context, c server.Command, e audit.Entry) error {
	return s.DB.InTx(ctx, func(ctx context.Context, tx Tx) error {
		row := &commandRow{
			ID: c.ID, ServerID: string(c.ServerID), Verb: string(c.Verb), Container: c.Container, ByName: c.By, Signed: c.Signed.Text,
			Sig: c.Signed.Sig, State: string(c.State), At: c.At, Until: c.Until,
		}
		if _, err := tx.NewInsert().Model(row).Exec(ctx); err != nil {
			return fmt.Errorf("store command: %w", toFault(err))
		}
		if err := writeAudit(ctx, tx, e); err != nil {
			return err
		}
		return s.Jobs.EnqueueTx(ctx, tx.PGX, []work.Item{work.RunCommand{CommandID: c.ID}})
	})
}

// Get finds a command.
func (s *ServerCommands) Get(ctx context.Context, id string) (server.Command, error) {
	var row commandRow
	if err := s.DB.bun(ctx).NewSelect().Model(&row).Where("sc.id = ?", id).Scan(ctx); err != nil {
		return server.Command{}, fmt.Errorf("find command: %w", toFault(err))
	}
	return row.command()
}

// Of lists the newest commands of a server, newest first.
func (s *ServerCommands) Of(ctx context.Context, id server.ID, limit int) ([]server.Command, error) {
	return s.list(ctx, s.DB.bun(ctx).NewSelect().Where("sc.server_id = ?", id), limit)
}

// Listed is the newest list of containers of a server, the zero Command when there is none.
func (s *ServerCommands) Listed(ctx context.Context, id server.ID) (server.Command, error) {
	q := s.DB.bun(ctx).NewSelect().Where("sc.server_id = ?", id).Where("sc.verb = ?", wire.VerbContainers).Where("sc.state = 'done'")
	all, err := s.list(ctx, q, 1)
	if err != nil || len(all) == 0 {
		return server.Command{}, err
	}
	return all[0], nil
}

func (s *ServerCommands) list(ctx context.Context, q *bun.SelectQuery, limit int) ([]server.Command, error) {
	var rows []commandRow
	if err := q.Model(&rows).Order("sc.id DESC").Limit(int64(limit)).Scan(ctx); err != nil {
		return nil, fmt.Errorf("list commands: %w", toFault(err))
	}
	return eachOrErr(rows, commandRow.command)
}

// End keeps how a command ended, if it has not ended yet.
func (s *ServerCommands) End(ctx context.Context, c server.Command) error {
	var containers json.RawMessage
	if c.Containers != nil {
		raw, err := json.Marshal(c.Containers)
		if err != nil {
			return fmt.Errorf("end command: %w", err)
		}
		containers = raw
	}
	_, err := s.DB.bun(ctx).NewUpdate().Model(&commandRow{
		ID: c.ID, State: string(c.State), Said: c.Said, Containers: containers, EndedAt: c.EndedAt,
	}).Column("state", "said", "containers", "ended_at").WherePK().Where("sc.state = 'sent'").Exec(ctx)
	if err != nil {
		return fmt.Errorf("end command: %w", toFault(err))
	}
	return nil
}
