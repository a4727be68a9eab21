package approver_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"gatehouse/agentd/wire"
)

// TestProven_settingsMoved: what was signed for settings that changed meanwhile does not count, and the refusal says so; what was signed
// for another text, or for settings far away, is called a signature that does not hold.
func TestProven_settingsMoved(t *testing.T) {
	t.Parallel()
	w := open(t)
	owner, body := w.trusted(wire.HolderPerson), wire.AutonomyBody{Agent: "secretary", Level: 3}
	for name, c := range map[string]struct {
		version int64
		signed  wire.AutonomyBody
		want    string // in the refusal; empty: it counts
	}{
		"the settings in force": {w.version, body, ""},
		"the ones before":       {w.version - 1, body, "reload the page"},
		"the first ones":        {1, body, "reload the page"},
		"ones on their way":     {w.version + 1, body, "reload the page"},
		"ones far away":         {w.version + 100, body, "does not hold"},
		"another text":          {w.version - 1, wire.AutonomyBody{Agent: "dispatcher", Level: 3}, "does not hold"},
	} {
		var err error
		sig := w.signChange(owner, wire.ChangeAutonomy, c.signed, c.version)
		w.write(func(tx *sql.Tx) error {
			_, err = w.Proven(context.Background(), tx, wire.ChangeAutonomy, body, sig)
			return nil
		})
		if c.want == "" && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
