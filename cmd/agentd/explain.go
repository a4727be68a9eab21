package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gatehouse/agentd"
	"gatehouse/agentd/config"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/store"
	"gatehouse/agentd/team"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// toolsExplain is "agentd tools explain": which tools an agent sees, and for each other one the layer that removed it; or of one
// tool layer by layer whether it is visible, then tier by tier what happens.
func toolsExplain(ctx context.Context, c *call) error {
	dir := c.stateFlag()
	agent := c.flags.String("agent", "", "id of the agent (required)")
	model := c.flags.String("model", "", "name of the model that it thinks with (usual: the one that is set for it, else MODEL_NAME)")
	origin := c.flags.String("origin", string(team.ByOwner), "who begins the run: "+origins())
	if err := c.parseUpTo(1); err != nil {
		return err
	}
	switch {
	case *agent == "":
		return fmt.Errorf("%w: --agent is missing", errUsage)
	case !slices.Contains(team.Origins(), team.Origin(*origin)):
		return fmt.Errorf("%w: --origin is one of %s", errUsage, origins())
	}
	t, err := loadTeam(ctx, *dir)
	if err != nil {
		return err
	}
	if _, err := t.Agent(*agent); err != nil {
		return fmt.Errorf("agent %q: %w", *agent, err)
	}
	s, err := configOf(ctx, *dir)
	if err != nil {
		return err
	}
	if *model == "" {
		*model = agentd.ModelOf(s.Config(), *agent, os.Getenv("MODEL_NAME"))
	}
	v := team.ViewOf(s.Config(), *agent, *model, team.Origin(*origin))
	if c.flags.NArg() == 0 {
		_, err = io.WriteString(c.out, sights(t.See(v), s.Off(*agent)))
		return err
	}
	name := c.flags.Arg(0)
	layers, err := t.Explain(v, name)
	if err != nil {
		return fmt.Errorf("agent %q: %w", *agent, err)
	}
	_, err = io.WriteString(c.out, explanation(layers, *agent, name, s))
	return err
}

// origins lists who can begin a run.
func origins() string {
	names := make([]string, 0, len(team.Origins()))
	for _, o := range team.Origins() {
		names = append(names, string(o))
	}
	return strings.Join(names, ", ")
}

// sights has a line for each tool: whether the agent sees it, or which layer removed it.
func sights(all []team.Sight, off bool) string {
	var b strings.Builder
	if off {
		b.WriteString("The owner has switched this agent off: it uses no tool.\n\n")
	}
	for _, s := range all {
		if s.Visible {
			fmt.Fprintf(&b, "%-20s sees\n", s.Name)
			continue
		}
		fmt.Fprintf(&b, "%-20s removed by %-9s %s\n", s.Name, s.Layer, s.Why)
	}
	return b.String()
}

// loadTeam reads the agents of a state directory, or the shipped ones where there is none yet.
func loadTeam(ctx context.Context, dir string) (*team.Team, error) {
	agents := filepath.Join(dir, "agents")
	if _, err := os.Stat(agents); errors.Is(err, os.ErrNotExist) {
		temp, err := os.MkdirTemp("", "agentd-agents-")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(temp) }() // a leftover in the temporary folder does no harm
		if err := team.Install(temp); err != nil {
			return nil, err
		}
		agents = temp
	}
	off, err := agentd.Missing(ctx)
	if err != nil {
		return nil, err
	}
	return team.Load(agents, agentd.Definitions(), off)
}

// configOf reads the configuration that a server runs; the usual one where there is none yet.
func configOf(ctx context.Context, dir string) (config.State, error) {
	cfg := wire.Config{DefaultLevel: config.DefaultLevel}
	db, err := store.OpenReader(dir)
	if errors.Is(err, os.ErrNotExist) {
		return config.StateOf(cfg), nil
	}
	if err != nil {
		return config.State{}, err
	}
	defer func() { _ = db.Close() }() // nothing is lost with it
	var body string
	err = db.QueryRowContext(ctx, "SELECT body FROM config WHERE id = 1").Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return config.StateOf(cfg), nil
	}
	if err == nil {
		err = json.Unmarshal([]byte(body), &cfg)
	}
	return config.StateOf(cfg), err
}

func explanation(layers []team.Layer, agent, name string, s config.State) string {
	var b strings.Builder
	seen := !s.Off(agent)
	for _, l := range layers {
		mark := "keeps"
		if !l.Keep {
			mark, seen = "removes", false
		}
		fmt.Fprintf(&b, "%-14s %-8s %s\n", l.Name, mark, l.Why)
	}
	if !seen {
		fmt.Fprintf(&b, "\n%s does not see %s.\n", agent, name)
		return b.String()
	}
	fmt.Fprintf(&b, "\n%s sees %s. Level %d, configuration version %d. What a call would do decides its tier:\n\n", agent, name, s.Level(agent), s.Version())
	for _, tier := range tiers(name) {
		v := policy.Decide(policy.Input{Tier: tier, Level: s.Level(agent), Unlocked: s.Unlocked(agent, name)})
		fmt.Fprintf(&b, "%-16s %-6s %s\n", tier, v.Effect, v.Why)
	}
	return b.String()
}

// tiers are those that calls of a tool can have: only an outward tool reaches outside.
func tiers(name string) []policy.Tier {
	all := []policy.Tier{policy.Green, policy.Yellow, policy.YellowExternal, policy.Red, policy.CriticalRed, policy.Forbidden}
	i := slices.IndexFunc(agentd.Definitions(), func(d tool.Definition) bool { return d.Name == name })
	if i >= 0 && agentd.Definitions()[i].Outward {
		return all
	}
	return slices.DeleteFunc(all, func(t policy.Tier) bool { return t == policy.YellowExternal })
}
