package config_test

import (
	"path/filepath"
	"reflect"
	"testing"

	"gatehouse/agentd/wire"
)

// spending are the members of a configuration that no call is decided by. Each other one counts, also one that is added later.
var spending = map[string]bool{"Version": true, "By": true, "Signed": true, "Spend": true, "Model": true, "Day": true}

// TestPolicy: what calls are decided by is as old as the last version that changed anything else than what the team may spend.
func TestPolicy(t *testing.T) {
	t.Parallel()
	w := open(t, filepath.Join(t.TempDir(), "state"))
	cfg := func() wire.Config {
		return wire.Config{
			DefaultLevel: 1, TimeZone: "Europe/Vienna", Agents: map[string]wire.AgentConfig{"secretary": {Unlocked: []string{"message"}}},
		}
	}
	version := int64(0)
	put := func(c wire.Config) int64 {
		t.Helper()
		version++
		c.Version = version
		if got := w.apply(t, c); got.Error != "" {
			t.Fatal(got.Error)
		}
		return w.State().Policy()
	}
	if got := put(cfg()); got != 1 {
		t.Errorf("the first version decides since %d", got)
	}
	each := func(of reflect.Type, set func(c *wire.Config, name string)) {
		for i := range of.NumField() {
			name := of.Field(i).Name
			if name == "Version" || name == "Agents" {
				continue
			}
			was, c := w.State().Policy(), cfg()
			set(&c, name)
			want := was
			if !spending[name] {
				want = version + 1
			}
			if got := put(c); got != want {
				t.Errorf("%s changes: decided since %d, not %d", name, got, want)
			}
			if got := put(cfg()); spending[name] != (got == was) {
				t.Errorf("%s changes back: decided since %d", name, got)
			}
		}
	}
	each(reflect.TypeFor[wire.Config](), func(c *wire.Config, name string) { other(t, reflect.ValueOf(c).Elem().FieldByName(name)) })
	each(reflect.TypeFor[wire.AgentConfig](), func(c *wire.Config, name string) {
		a := c.Agents["secretary"]
		other(t, reflect.ValueOf(&a).Elem().FieldByName(name))
		c.Agents["secretary"] = a
	})
	since := w.State().Policy()
	if err := w.db.Close(); err != nil {
		t.Fatal(err)
	}
	if again := open(t, w.dir); again.State().Policy() != since || again.State().Version() != version {
		t.Errorf("after a restart: decided since %d, not %d", again.State().Policy(), since)
	}
}

// other gives a member another value that a configuration may have.
func other(t *testing.T, v reflect.Value) {
	t.Helper()
	switch of := v.Addr().Interface().(type) {
	case *int:
		*of = 3
	case *int64:
		*of = 500
	case *bool:
		*of = true
	case *[]string:
		*of = []string{"a@example.com"}
	case *string:
		*of = "UTC"
	case *wire.Origin:
		of.Channel = "operator"
	case *[]wire.SignedChange:
		*of = []wire.SignedChange{{Kind: wire.ChangeOverage}}
	case *wire.ToolLimits:
		of.Denied = []string{"shell"}
	case *wire.Chats:
		of.Queue = wire.QueueCollect
	case *wire.Spend:
		of.Day = 900
	default:
		t.Fatalf("what may a %T be?", of)
	}
}
