package team

import (
	"errors"
	"slices"
	"testing"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
)

func TestNext_signed(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	key, err := wire.NewSigner()
	if err != nil {
		t.Fatal(err)
	}
	at := func(at time.Time) *wire.Signature {
		sig, err := key.Sign("anything", at)
		if err != nil {
			t.Fatal(err)
		}
		return sig
	}
	s := &Service{Now: func() time.Time { return now }}
	was := State{Config: first(), Applied: 4}
	was.Config.Version, was.Config.DefaultLevel = 4, 2
	was.Config.Agents["it-admin"] = wire.AgentConfig{Off: true, Unlocked: []string{"shell"}, Day: 200_000}
	was.Config.Spend.Models.Premium, was.Config.Spend.Models.Embeddings = []string{"gold"}, "vectors"
	was.Config.Added, was.Config.Inside = []string{"mate@example.com"}, []string{"mate@example.com"}
	both := func(c *wire.Config) error {
		c.DefaultLevel = 3
		c.Agents["it-admin"] = wire.AgentConfig{Day: 200_000}
		return nil
	}
	for name, c := range map[string]struct {
		edit Edit
		want error
		kind wire.ChangeKind // of what is signed; empty: nothing
	}{
		"level up":                  {Signed(Level("secretary", 2), 5, at(now)), nil, wire.ChangeAutonomy},
		"default up":                {Signed(DefaultLevel(3), 5, at(now)), nil, wire.ChangeAutonomy},
		"unlock":                    {Signed(External("secretary", "message", true), 5, at(now)), nil, wire.ChangeUnlock},
		"on":                        {Signed(Off("it-admin", false), 5, at(now)), nil, wire.ChangeOn},
		"inside":                    {Signed(Inside(" New@Example.com ", true), 5, at(now)), nil, wire.ChangeInside},
		"inside, unsigned":          {Inside("new@example.com", true), ErrUnsigned, ""},
		"inside, as a list":         {Signed(Inside("new@example.com,x@example.com", true), 5, at(now)), errAddress, ""},
		"inside, a whole domain":    {Signed(Inside("@example.com", true), 5, at(now)), errAddress, ""},
		"inside, a pattern":         {Signed(Inside("*@example.com", true), 5, at(now)), errAddress, ""},
		"no longer inside":          {Inside("MATE@example.com", false), nil, ""},
		"overage":                   {Signed(Beyond(true), 5, at(now)), nil, wire.ChangeOverage},
		"overage, unsigned":         {Beyond(true), ErrUnsigned, ""},
		"a premium model":           {Signed(Model("secretary", "gold"), 5, at(now)), nil, wire.ChangeModel},
		"a premium, unsigned":       {Model("secretary", "gold"), ErrUnsigned, ""},
		"a model that is none":      {Signed(Model("secretary", "lead"), 5, at(now)), errModel, ""},
		"notes to a model":          {Signed(Embeddings("vectors"), 5, at(now)), nil, wire.ChangeEmbeddings},
		"notes, unsigned":           {Embeddings("vectors"), ErrUnsigned, ""},
		"notes to another one":      {Signed(Embeddings("gold"), 5, at(now)), errModel, ""},
		"notes to none":             {Embeddings(""), nil, ""},
		"a preset":                  {Model("secretary", wire.PresetComplex), nil, ""},
		"a first budget":            {Budget("", 100_000), nil, ""},
		"a higher budget, unsigned": {Budget("it-admin", 300_000), ErrUnsigned, ""},
		"a lower budget":            {Budget("it-admin", 100_000), nil, ""},
		"a budget of nothing":       {Budget("it-admin", 10), errBudget, ""},
		"level up, unsigned":        {Level("secretary", 3), ErrUnsigned, ""},
		"up to the default":         {Level("secretary", 0), ErrUnsigned, ""},
		"unlock, unsigned":          {External("secretary", "message", true), ErrUnsigned, ""},
		"on, unsigned":              {Off("it-admin", false), ErrUnsigned, ""},
		"level down":                {DefaultLevel(1), nil, ""},
		"lock":                      {External("it-admin", "shell", false), nil, ""},
		"off":                       {Off("secretary", true), nil, ""},
		"for another version":       {Signed(DefaultLevel(3), 4, at(now)), errSignedOther, ""},
		"long ago":                  {Signed(DefaultLevel(3), 5, at(now.Add(-6*time.Minute))), errSignedLate, ""},
		"two rises, one signature":  {Signed(both, 5, at(now)), errManyRaises, ""},
		"a signature for no reason": {Signed(DefaultLevel(1), 5, at(now)), nil, ""},
	} {
		got, err := s.next(was, Business{Allowance: Allowance{Models: wire.ModelMenu{Premium: []string{"gold"}}}}, wire.Origin{}, c.edit)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
			continue
		}
		if err != nil {
			continue
		}
		if c.kind == "" && len(got.Signed) != 0 || c.kind != "" && (len(got.Signed) != 1 || got.Signed[0].Kind != c.kind || got.Signed[0].Version != 5) {
			t.Errorf("%s: it carries %+v", name, got.Signed)
		}
	}
	got, err := s.next(was, Business{Inside: []string{"Owner@example.com"}}, wire.Origin{}, Signed(Inside("NEW@example.com", true), 5, at(now)))
	if err != nil || !slices.Equal(got.Inside, []string{"mate@example.com", "new@example.com", "owner@example.com"}) || string(got.Signed[0].Body) != `"new@example.com"` {
		t.Errorf("inside are %+v, %v", got, err)
	}
	got, err = s.next(was, Business{}, wire.Origin{}, Inside("mate@example.com", false))
	if err != nil || len(got.Inside) != 0 || got.Added != nil {
		t.Errorf("after the removal %+v, %v", got, err)
	}
	if fault.Of(ErrUnsigned).Code != "signature-required" {
		t.Error(ErrUnsigned)
	}
}

// TestNext_carries: signatures travel on until the server has reported their version; after a refusal a change starts
// from what the server runs.
func TestNext_carries(t *testing.T) {
	t.Parallel()
	s := &Service{Now: time.Now}
	was := State{Config: first(), Applied: 4}
	was.Config.Version, was.Config.DefaultLevel = 6, 3
	was.Config.Signed = []wire.SignedChange{{Version: 4}, {Version: 6}}
	got, err := s.next(was, Business{}, wire.Origin{}, Off("secretary", true))
	if err != nil || len(got.Signed) != 1 || got.Signed[0].Version != 6 || got.DefaultLevel != 3 {
		t.Errorf("carried %+v, %v", got, err)
	}
	was.Error, was.Running = "no", first()
	was.Running.Version = 4
	got, err = s.next(was, Business{}, wire.Origin{}, Off("secretary", true))
	if err != nil || got.Version != 7 || got.DefaultLevel != 2 || len(got.Signed) != 0 {
		t.Errorf("after a refusal %+v, %v", got, err)
	}
}
