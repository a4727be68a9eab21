package team

import (
	"reflect"
	"testing"

	"gatehouse/agentd/wire"
)

func TestTake_inside(t *testing.T) {
	t.Parallel()
	c := first()
	take(&c, Business{Name: "Example Bakery", TimeZone: "Europe/Vienna", Inside: []string{" Someone@Example.com", "ﬁrst@example.com", "someone@example.COM"}})
	if want := []string{"first@example.com", "someone@example.com"}; !reflect.DeepEqual(c.Inside, want) {
		t.Errorf("inside are %q, want %q", c.Inside, want)
	}
	take(&c, Business{Name: "Example Bakery"})
	if c.TimeZone != "Europe/Vienna" || len(c.Inside) != 0 {
		t.Errorf("zone %q, inside %q", c.TimeZone, c.Inside)
	}
}

func TestExternal_onAndOff(t *testing.T) {
	t.Parallel()
	was := first()
	c := clone(was)
	for _, e := range []Edit{External("secretary", "message", true), External("secretary", "message", true), External("secretary", "calendar", true)} {
		if err := e(&c); err != nil {
			t.Fatal(err)
		}
	}
	if got := c.Agents["secretary"]; !reflect.DeepEqual(got.Unlocked, []string{"calendar", "message"}) || got.Level != 1 {
		t.Errorf("after unlocking: %+v", got)
	}
	if len(was.Agents["secretary"].Unlocked) != 0 {
		t.Error("the change reached into what was read")
	}
	for _, tool := range []string{"message", "calendar", "calendar"} {
		if err := External("secretary", tool, false)(&c); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(c, was) {
		t.Errorf("locked again it is %+v, before it was %+v", c, was)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]wire.Config{
		"no level":         {},
		"level 4":          {DefaultLevel: 4},
		"agent at level 4": {DefaultLevel: 2, Agents: map[string]wire.AgentConfig{"it-admin": {Level: 4}}},
		"agent below 0":    {DefaultLevel: 2, Agents: map[string]wire.AgentConfig{"it-admin": {Level: -1}}},
		"name of an agent": {DefaultLevel: 2, Agents: map[string]wire.AgentConfig{"It Admin": {}}},
		"name of a tool":   {DefaultLevel: 2, Agents: map[string]wire.AgentConfig{"it-admin": {Unlocked: []string{"a b"}}}},
	} {
		if check(c) == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if err := check(first()); err != nil {
		t.Errorf("the first configuration: %v", err)
	}
}

// TestNext_aboveEverythingReported: a hub that was set back to an older copy of its data must not make versions that the
// server refuses as old.
func TestNext_aboveEverythingReported(t *testing.T) {
	t.Parallel()
	was := State{Config: first(), Applied: 9}
	was.Config.Version = 4
	c, err := (&Service{}).next(was, Business{}, wire.Origin{}, DefaultLevel(1))
	if err != nil || c.Version != 10 {
		t.Fatalf("version %v, %v", c, err)
	}
}

func TestInForce(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		state State
		want  int64
	}{
		"nothing set yet":  {State{}, 0},
		"at the server":    {State{Config: wire.Config{Version: 4}, Applied: 4}, 4},
		"on its way":       {State{Config: wire.Config{Version: 4}, Applied: 3}, 4},
		"refused":          {State{Config: wire.Config{Version: 4}, Applied: 3, Error: "no"}, 3},
		"a newer one":      {State{Config: wire.Config{Version: 4}, Applied: 9}, 9},
		"an old complaint": {State{Config: wire.Config{Version: 4}, Applied: 4, Error: "no"}, 4},
	} {
		if got := c.state.InForce(); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}
