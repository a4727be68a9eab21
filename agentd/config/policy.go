package config

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"

	"gatehouse/agentd/wire"
)

// policyOf is what of a configuration calls are decided by: all of it, save who made it and what the team may use of models. Which
// tools a model sees is looked at when a call begins: it is the model that wrote the call.
func policyOf(c wire.Config) wire.Config {
	c.Version, c.By, c.Signed, c.Spend = 0, wire.Origin{}, nil, wire.Spend{}
	agents := make(map[string]wire.AgentConfig, len(c.Agents))
	for id, a := range c.Agents {
		a.Model, a.Day = "", 0
		agents[id] = a
	}
	c.Agents = agents
	return c
}

// policySince is the version since which calls are decided as next has it. It is next's own number unless the version in force, as tx
// sees it, decides alike.
func (l *Live) policySince(tx *sql.Tx, next wire.Config) (int64, error) {
	was, err := l.kept(tx)
	if err != nil {
		return 0, err
	}
	alike, err := sameJSON(policyOf(was), policyOf(next))
	if err != nil || !alike || was.Version == 0 {
		return next.Version, err
	}
	var since int64
	if err := l.db.QueryRow(tx, "SELECT policy FROM config WHERE id = 1").Scan(&since); err != nil {
		return 0, fmt.Errorf("version of the policy: %w", err)
	}
	return since, nil
}

// sameJSON compares versions as they are kept: what is kept and what is pushed may tell nothing and none apart.
func sameJSON(a, b wire.Config) (bool, error) {
	one, err := json.Marshal(a)
	if err != nil {
		return false, fmt.Errorf("compare configurations: %w", err)
	}
	other, err := json.Marshal(b)
	if err != nil {
		return false, fmt.Errorf("compare configurations: %w", err)
	}
	return bytes.Equal(one, other), nil
}
