package receipt_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/receipt"
	"gatehouse/app/server"
)

// log is an anchor in memory; db.Checkpoints is the real one and tested there.
type log struct {
	kept   []wire.Checkpoint
	alerts []wire.Alert
}

func (l *log) Head(context.Context, server.ID) (c wire.Checkpoint, err error) {
	for _, k := range l.kept {
		if k.Seq > c.Seq {
			c = k
		}
	}
	return c, nil
}

func (l *log) At(_ context.Context, _ server.ID, seq int64) (wire.Checkpoint, error) {
	for _, k := range l.kept {
		if k.Seq == seq {
			return k, nil
		}
	}
	return wire.Checkpoint{}, nil
}

func (l *log) Add(_ context.Context, _ server.ID, c wire.Checkpoint, _ time.Time) error {
	l.kept = append(l.kept, c)
	return nil
}

func (l *log) List(context.Context, server.ID, int) ([]wire.Checkpoint, error) { return l.kept, nil }

func (l *log) Raise(_ context.Context, _ server.ID, a wire.Alert, _ time.Time) error {
	l.alerts = append(l.alerts, a)
	return nil
}

func TestService_Keep(t *testing.T) {
	t.Parallel()
	pub, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	head := func(seq int64, hash string) wire.Checkpoint {
		c := wire.Checkpoint{Seq: seq, Hash: strings.Repeat(hash, 32), Time: time.Unix(seq, 0), KeyID: wire.KeyID(pub)}
		c.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, wire.CheckpointText("s1", c)))
		return c
	}
	for name, c := range map[string]struct {
		next   wire.Checkpoint
		kept   int
		alerts int
		kind   fault.Kind
	}{
		"it goes on":                {next: head(30, "cc"), kept: 3},
		"the same again":            {next: head(20, "bb"), kept: 2},
		"an older one again":        {next: head(10, "aa"), kept: 2},
		"another hash":              {next: head(20, "dd"), kept: 2, alerts: 1},
		"an older one rewritten":    {next: head(10, "dd"), kept: 2, alerts: 1},
		"a head before the last":    {next: head(15, "dd"), kept: 2, alerts: 1},
		"no number":                 {next: head(0, "dd"), kept: 2, alerts: 1},
		"no hash":                   {next: head(30, "x"), kept: 2, alerts: 1},
		"changed after signing":     {next: changed(head(30, "cc")), kept: 2, kind: fault.Forbidden},
		"signed for another server": {next: resigned(head(30, "cc"), key), kept: 2, kind: fault.Forbidden},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &log{kept: []wire.Checkpoint{head(10, "aa"), head(20, "bb")}}
			err := (&receipt.Service{Store: l, Alerts: l, Now: time.Now}).Keep(t.Context(), "s1", pub, c.next)
			if (err != nil) != (c.kind != "") || err != nil && fault.Of(err).Kind != c.kind {
				t.Fatalf("error %v", err)
			}
			if len(l.kept) != c.kept || len(l.alerts) != c.alerts {
				t.Fatalf("%d kept and %d alerts, want %d and %d", len(l.kept), len(l.alerts), c.kept, c.alerts)
			}
		})
	}
}

func changed(c wire.Checkpoint) wire.Checkpoint {
	c.Hash = strings.Repeat("ee", 32)
	return c
}

func resigned(c wire.Checkpoint, key ed25519.PrivateKey) wire.Checkpoint {
	c.Signature = base64.RawURLEncoding.EncodeToString(ed25519.Sign(key, wire.CheckpointText("s2", c)))
	return c
}
