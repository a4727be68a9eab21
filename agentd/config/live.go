package config

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"gatehouse/agentd/receipt"
	"gatehouse/agentd/store"
	"gatehouse/agentd/wire"
)

// Outbox takes frames for the hub in the transaction that makes them true.
type Outbox interface {
	Put(ctx context.Context, tx *sql.Tx, t wire.Type, body any) error
}

// Live is the configuration in force.
type Live struct {
	db  *store.DB
	log *receipt.Log
	out Outbox
	now func() time.Time

	mu        sync.RWMutex
	cur       State
	listeners []func(State)
	powers    Powers   // nil: nothing that a version raises has to be signed
	signers   Signers  // nil: nothing has to be signed
	problem   string   // why the file of the rules is not in force
	made      []string // agents that the owner made: see Begins
}

// Open reads the version that was applied last; without one it is version 0: level 2, nothing unlocked, nobody
// inside.
func Open(ctx context.Context, db *store.DB, log *receipt.Log, out Outbox, now func() time.Time) (*Live, error) {
	l := &Live{db: db, log: log, out: out, now: now}
	cfg := wire.Config{DefaultLevel: DefaultLevel}
	var body string
	var policy int64
	err := db.Read().QueryRowContext(ctx, "SELECT body, policy FROM config WHERE id = 1").Scan(&body, &policy)
	switch {
	case errors.Is(err, sql.ErrNoRows):
	case err != nil:
		return nil, fmt.Errorf("read configuration: %w", err)
	default:
		if err := json.Unmarshal([]byte(body), &cfg); err != nil {
			return nil, fmt.Errorf("%w: configuration: %w", store.ErrCorrupt, err)
		}
	}
	r, err := loadRules(ctx, db)
	if err != nil {
		return nil, err
	}
	l.cur = newState(cfg, policy, r)
	return l, nil
}

// State is the version in force, which never changes once it is handed out.
func (l *Live) State() State {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.cur
}

// Has says whether addr is inside the business: a verified address of one of the customer's own users.
func (l *Live) Has(addr string) bool { return l.State().Has(addr) }

// Subscribe calls fn after each applied version. Subscribe before the link is up.
func (l *Live) Subscribe(fn func(State)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listeners = append(l.listeners, fn)
}

// swap puts cfg in force, unless a higher version got there first. Calls are decided as it has it since the version policy.
func (l *Live) swap(cfg wire.Config, policy int64) {
	l.mu.Lock()
	if cfg.Version <= l.cur.Version() {
		l.mu.Unlock()
		return
	}
	l.cur = newState(begun(cfg, l.made), policy, l.cur.rules)
	state, listeners := l.cur, l.listeners
	l.mu.Unlock()
	for _, fn := range listeners {
		fn(state)
	}
}

// Begins says that the owner made these agents: they do not inherit the usual level by themselves, but stand at Beginning until a
// signed version gives them a higher one, or the usual one.
func (l *Live) Begins(agents ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made = append(l.made, agents...)
	l.cur = newState(begun(l.cur.cfg, l.made), l.cur.policy, l.cur.rules)
}

// begun is a version with Beginning for those of these agents of which it says nothing.
func begun(cfg wire.Config, made []string) wire.Config {
	if len(made) == 0 {
		return cfg
	}
	agents := make(map[string]wire.AgentConfig, len(cfg.Agents)+len(made))
	maps.Copy(agents, cfg.Agents)
	for _, id := range made {
		if _, set := agents[id]; !set {
			agents[id] = wire.AgentConfig{Level: Beginning}
		}
	}
	cfg.Agents = agents
	return cfg
}

// VersionTx reads the version in force as tx sees it: what a decision was made under can be compared with it in the
// transaction that acts on the decision.
func VersionTx(db *store.DB, tx *sql.Tx) (int64, error) {
	var v int64
	err := db.QueryRow(tx, "SELECT coalesce(max(version), 0) FROM config").Scan(&v)
	if err != nil {
		return 0, fmt.Errorf("version of the configuration: %w", err)
	}
	return v, nil
}
