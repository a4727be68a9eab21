package config

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
)

// Apply takes a pushed version, inside the Write that tx belongs to: a higher one is kept, recorded and, once
// durable, in force; a known or lower one changes nothing; one that cannot be is refused with its reason. In each
// case the hub is told what this server runs, and with a known one whether all of it was kept. The error is of the store,
// never of the version.
func (l *Live) Apply(ctx context.Context, tx *sql.Tx, cfg wire.Config) error {
	ctx = context.WithoutCancel(ctx) // an interrupted statement would take other writes with it
	have, err := VersionTx(l.db, tx)
	if err != nil {
		return err
	}
	if cfg.Version <= have {
		partial, err := l.partial(tx)
		if err != nil {
			return err
		}
		return l.report(ctx, tx, wire.ConfigState{Version: have, Partial: partial})
	}
	if bad := errors.Join(leap(have, cfg.Version), Check(cfg)); bad != nil {
		return l.refuse(ctx, tx, have, cfg, bad)
	}
	r, bad, err := l.raised(ctx, tx, cfg)
	if err != nil {
		return err
	}
	if bad != nil {
		return l.refuse(ctx, tx, have, cfg, bad)
	}
	policy, err := l.policySince(tx, r.cfg)
	if err != nil {
		return err
	}
	if err := l.keep(ctx, tx, r, policy); err != nil {
		return err
	}
	l.db.OnCommit(tx, func() { l.swap(r.cfg, policy) })
	return l.report(ctx, tx, wire.ConfigState{Version: cfg.Version})
}

// maxLeap is how far one version may be ahead of the one in force: more changes than people make while a server is away.
// Without a bound a hub that was broken into could name the highest number there is, after which no version ever counts.
const maxLeap = 1_000_000

// maxNumber is the largest number that stands in a receipt.
const maxNumber = 1 << 53

func leap(have, next int64) error {
	if next-have > maxLeap {
		return fmt.Errorf("version %d is too far ahead of %d", next, have)
	}
	return nil
}

// Adopt applies a version outside of a frame: the one that a registration answers.
func (l *Live) Adopt(ctx context.Context, cfg wire.Config) error {
	return l.db.Write(ctx, func(tx *sql.Tx) error { return l.Apply(ctx, tx, cfg) })
}

func (l *Live) report(ctx context.Context, tx *sql.Tx, s wire.ConfigState) error {
	if err := l.out.Put(ctx, tx, wire.TypeConfigState, s); err != nil {
		return fmt.Errorf("report configuration: %w", err)
	}
	return nil
}

// partial says whether the version in force was kept by a program that spoke an older version of the wire.
func (l *Live) partial(tx *sql.Tx) (older bool, err error) {
	err = l.db.QueryRow(tx, "SELECT coalesce(max(wire < ?), 0) FROM config", wire.Version).Scan(&older)
	if err != nil {
		return false, fmt.Errorf("look what kept the configuration: %w", err)
	}
	return older, nil
}

func (l *Live) refuse(ctx context.Context, tx *sql.Tx, have int64, cfg wire.Config, why error) error {
	body := map[string]any{"why": why.Error(), "by": cfg.By}
	if cfg.Version <= maxNumber {
		body["version"] = cfg.Version
	}
	if _, err := l.log.Append(tx, receipt.Entry{Type: "config.refused", Body: body}); err != nil {
		return err
	}
	return l.report(ctx, tx, wire.ConfigState{Version: have, Error: why.Error()})
}

func (l *Live) keep(ctx context.Context, tx *sql.Tx, r raising, policy int64) error {
	cfg := r.cfg
	text, err := json.Marshal(cfg)
	if err != nil {
		return fmt.Errorf("keep configuration: %w", err)
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO config (id, version, body, applied_at, wire, policy) VALUES (1, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET version = excluded.version, body = excluded.body, applied_at = excluded.applied_at,
		wire = excluded.wire, policy = excluded.policy`,
		cfg.Version, string(text), l.now().UTC().Format(time.RFC3339Nano), wire.Version, policy)
	if err != nil {
		return fmt.Errorf("keep configuration: %w", err)
	}
	body := map[string]any{"version": cfg.Version, "default_level": cfg.DefaultLevel, "agents": cfg.Agents, "inside": cfg.Inside, "business": business(cfg.Business), "by": cfg.By}
	if len(cfg.Tools.Denied)+len(cfg.Tools.OwnerOnly) > 0 {
		body["tools"] = cfg.Tools
	}
	if len(r.held) > 0 {
		body["not_inside"] = r.held // nobody has signed for them
	}
	if len(r.signed) > 0 {
		body["signed"] = r.signed
	}
	_, err = l.log.Append(tx, receipt.Entry{Type: "config.applied", Body: body})
	return err
}

// toolName is how tools are named. A list that named something else would narrow nothing.
var toolName = regexp.MustCompile(`^[a-z][a-z0-9_.-]{0,63}$`)

// Check says everything that is wrong with a version, in words for people, or nil.
func Check(cfg wire.Config) error {
	var wrong []error
	if cfg.DefaultLevel < 1 || cfg.DefaultLevel > 3 {
		wrong = append(wrong, fmt.Errorf("the default level is %d; it must be 1, 2 or 3", cfg.DefaultLevel))
	}
	if _, err := time.LoadLocation(cfg.TimeZone); err != nil {
		wrong = append(wrong, fmt.Errorf("the time zone %q is not known", cfg.TimeZone))
	}
	for id, a := range cfg.Agents {
		if a.Level < 0 || a.Level > 3 {
			wrong = append(wrong, fmt.Errorf("the level of %s is %d; it must be 1, 2 or 3, or 0 for the default", id, a.Level))
		}
		if a.Day < 0 {
			wrong = append(wrong, fmt.Errorf("the budget of %s is below nothing", id))
		}
	}
	for _, name := range slices.Concat(cfg.Tools.Denied, cfg.Tools.OwnerOnly) {
		if !toolName.MatchString(name) {
			wrong = append(wrong, fmt.Errorf("%q is not the name of a tool", name))
		}
	}
	if cfg.Spend.Day < 0 || cfg.Spend.Pool != nil && !sound(*cfg.Spend.Pool) {
		wrong = append(wrong, errors.New("the budget of the team is below nothing"))
	}
	for _, addr := range cfg.Inside {
		if strings.ContainsAny(addr, ",\r\n<> ") || strings.Count(addr, "@") != 1 {
			wrong = append(wrong, fmt.Errorf("%q is not one plain address", addr))
		}
	}
	return errors.Join(wrong...)
}

// sound says whether a pool can be counted: its period ends after it begins, and nothing of it is below nothing.
func sound(p wire.Pool) bool {
	w := p.Weights
	return p.To.After(p.From) && min(p.Tokens, w.Input, w.Output, w.CacheRead, w.CacheWrite) >= 0 &&
		max(w.Input, w.Output, w.CacheRead, w.CacheWrite) <= maxWeight
}

// maxWeight is more than any token draws of the pool: what a hub says beyond it would make sums that cannot be kept.
const maxWeight = 1_000_000
