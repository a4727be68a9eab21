package agentlink_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"gatehouse/agentd/config"
	"gatehouse/agentd/link"
	"gatehouse/agentd/receipt"
	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/team"
	"gatehouse/db/dbtest"
)

// plan is one with a pool.
type plan struct{ chosen []bool }

func (*plan) Allowance(context.Context, account.CustomerID) (team.Allowance, error) {
	from := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	return team.Allowance{
		Pool:   &wire.Pool{From: from, To: from.AddDate(0, 1, 0), Tokens: 8_000_000},
		Models: wire.ModelMenu{Premium: []string{"gold"}},
	}, nil
}

func (p *plan) Chose(_ context.Context, _ account.CustomerID, beyond bool, _ audit.Actor) error {
	p.chosen = append(p.chosen, beyond)
	return nil
}

// settled is an agentd with real settings. Its link, its store and its outbox are real as well.
type settled struct {
	*agent
	live *config.Live
}

func (s *settled) Apply(ctx context.Context, tx *sql.Tx, f wire.Frame) error {
	return link.Frames{wire.TypeConfigPush: link.Take(s.live.Apply)}.Apply(ctx, tx, f)
}

// begin begins a life of it.
func (s *settled) begin(h *hub, p config.Powers) {
	s.t.Helper()
	var err error
	s.live, err = config.Open(s.t.Context(), s.agent.db, receipt.New(s.agent.db, time.Now), s.outbox, time.Now)
	must(s.t, err)
	if p != nil {
		s.live.RequirePowers(p)
	}
	must(s.t, s.live.Adopt(s.t.Context(), s.id.Config))
	s.run(h.web.URL, func(o *link.Options) { o.Handler = s })
	s.up(h)
}

// old is powers that hold no signature anymore: it was given for a version that is in force, or a day ago.
type old struct{}

func (old) Raise(context.Context, *sql.Tx, config.Raise, wire.Config) (config.Proof, error) {
	return config.Proof{}, errors.New("nobody has signed it")
}

// TestTeam_upgraded: a server whose program did not know of pools learns of them as soon as a newer one runs; what its owner had
// signed meanwhile neither comes into force behind a signature that has run out, nor keeps back what is set next.
func TestTeam_upgraded(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	plan := &plan{}
	h.teams.Plans = plan
	c := h.newCustomer(t)
	s := &settled{agent: h.newAgent(t, c)}
	s.begin(h, nil)
	for _, e := range []team.Edit{team.Beyond(true), team.Budget("", 400_000), team.Model("secretary", "gold")} {
		_, err := h.teams.Change(t.Context(), c.id, c.origin(), h.signed(t, c, e))
		must(t, err)
	}
	waitFor(t, "the versions are in force", func() bool { return h.runs(t, c) == 4 })
	s.stop()

	// what a program of version 3 of the wire keeps of it, and what the first start of the next one makes of its database
	must(t, s.agent.db.Write(t.Context(), func(tx *sql.Tx) error {
		_, err := tx.Exec(`DROP TRIGGER config_only_upward;
			UPDATE config SET wire = 0, body = json_remove(body, '$.spend', '$.agents.secretary.model')`)
		return err
	}))
	s.begin(h, old{})
	waitFor(t, "the server has the pool", func() bool { return s.live.State().Config().Spend.Pool != nil && h.runs(t, c) == 5 })
	got := s.live.State().Config()
	if got.Spend.Beyond || got.Spend.Day != 400_000 || got.Agents["secretary"].Model != "" || got.Agents["secretary"].Level != 1 {
		t.Errorf("the server has %+v", got)
	}
	if n := len(plan.chosen); n != 2 || plan.chosen[1] {
		t.Errorf("the plan was told %v", plan.chosen)
	}
	_, err := h.teams.Change(t.Context(), c.id, c.origin(), team.DefaultLevel(1))
	must(t, err)
	waitFor(t, "the next version is in force", func() bool { return s.live.State().Config().DefaultLevel == 1 && h.runs(t, c) == 6 })
	s.stop()

	s.begin(h, old{})
	waitFor(t, "all was reported", s.empty)
	if n := h.runs(t, c); n != 6 {
		t.Errorf("version %d was made for a server that has all of it", n)
	}
}

// TestTeam_upgradedUnderway: what was signed for a version that is still on its way is not taken back.
func TestTeam_upgradedUnderway(t *testing.T) {
	t.Parallel()
	h := startHub(t, dbtest.New(t))
	h.teams.Plans = &plan{}
	c := h.newCustomer(t)
	s := &settled{agent: h.newAgent(t, c)}
	must(t, h.teams.Report(t.Context(), c.id, c.server, wire.ConfigState{Version: 1}))
	_, err := h.teams.Change(t.Context(), c.id, c.origin(), h.signed(t, c, team.Beyond(true)))
	must(t, err)
	must(t, h.teams.Report(t.Context(), c.id, c.server, wire.ConfigState{Version: 1, Partial: true}))
	s.begin(h, nil)
	waitFor(t, "the newest is in force", func() bool { return h.runs(t, c) == 3 })
	if got := s.live.State().Config(); !got.Spend.Beyond || len(got.Signed) != 1 {
		t.Errorf("the server has %+v", got)
	}
}

// runs is the version that the server has reported without a fault; 0 while it has refused one.
func (h *hub) runs(t *testing.T, c customer) int64 {
	t.Helper()
	st, err := h.teams.State(t.Context(), c.id)
	must(t, err)
	if st.Error != "" {
		return 0
	}
	return st.Applied
}
