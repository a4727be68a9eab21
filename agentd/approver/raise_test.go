package approver_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"testing"
	"time"

	"gatehouse/agentd/policy/canonical"
	"gatehouse/agentd/wire"
)

// rise is a version that carries one signed rise of power.
func (w *world) rise(s wire.Signer, version int64, body wire.AutonomyBody) wire.Config {
	w.t.Helper()
	raw, err := canonical.Of(body)
	if err != nil {
		w.t.Fatal(err)
	}
	sig := w.signChange(s, wire.ChangeAutonomy, body, version)
	return wire.Config{Version: version, DefaultLevel: 2, Signed: []wire.SignedChange{{Kind: wire.ChangeAutonomy, Body: raw, Version: version, Signature: sig}}}
}

func (w *world) raised(cfg wire.Config, body any) (why string) {
	w.t.Helper()
	w.write(func(tx *sql.Tx) (err error) {
		_, why, err = w.Raised(context.Background(), tx, wire.ChangeAutonomy, body, cfg)
		return err
	})
	return why
}

func TestRaised(t *testing.T) {
	t.Parallel()
	w := open(t) // version 3 is in force
	owner, staff := w.trusted(wire.HolderPerson), w.trusted(wire.HolderStaff)
	body := wire.AutonomyBody{Agent: "secretary", Level: 3}
	for name, change := range map[string]func(*wire.Config){
		"unsigned":     func(c *wire.Config) { c.Signed = nil },
		"no signature": func(c *wire.Config) { c.Signed[0].Signature = nil },
		"another kind": func(c *wire.Config) { c.Signed[0].Kind = wire.ChangeUnlock },
		"another body": func(c *wire.Config) { c.Signed[0].Body = json.RawMessage(`{"agent":"dispatcher","level":3}`) },
		"said to be this body": func(c *wire.Config) {
			*c = w.rise(owner, 4, wire.AutonomyBody{Agent: "dispatcher", Level: 3})
			c.Signed[0].Body = w.rise(owner, 4, body).Signed[0].Body
		},
		"an old version":             func(c *wire.Config) { *c = w.rise(owner, 3, body); c.Version = 4 },
		"a later version":            func(c *wire.Config) { *c = w.rise(owner, 5, body); c.Version = 4 },
		"said to be this version":    func(c *wire.Config) { *c = w.rise(owner, 2, body); c.Version, c.Signed[0].Version = 4, 4 },
		"by staff":                   func(c *wire.Config) { *c = w.rise(staff, 4, body) },
		"by a stranger":              func(c *wire.Config) { *c = w.rise(signer(t), 4, body) },
		"from the future":            func(c *wire.Config) { w.move(6 * time.Minute); *c = w.rise(owner, 4, body); w.move(-6 * time.Minute) },
		"signed more than a day ago": func(c *wire.Config) { w.move(-25 * time.Hour); *c = w.rise(owner, 4, body); w.move(25 * time.Hour) },
	} {
		cfg := w.rise(owner, 4, body)
		change(&cfg)
		if why := w.raised(cfg, body); why == "" {
			t.Errorf("%s: it counted", name)
		}
	}
	w.move(23 * time.Hour) // the server was away
	cfg := w.rise(owner, 4, body)
	cfg.Version = 6 // two more versions came meanwhile
	if why := w.raised(cfg, body); why != "" {
		t.Error(why)
	}
	if why := w.raised(cfg, body); why == "" {
		t.Error("the same signature counted twice")
	}
}
