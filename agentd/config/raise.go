package config

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"gatehouse/agentd/wire"
)

// Raise is one thing that a version lets agents do beyond the one before.
type Raise struct {
	Kind wire.ChangeKind
	Body any    // AutonomyBody, UnlockBody, ToolBody and the like: what a person signs
	Says string // for people
}

// Powers says whose key has signed for a raise, inside the Write that applies the version: none where nobody has to. Its
// error is for people; with one, the whole version is refused, or, for an address, the address stays outside.
type Powers interface {
	Raise(ctx context.Context, tx *sql.Tx, r Raise, cfg wire.Config) (Proof, error)
}

// Proof is a signature as receipts name it: whose key it was, and the hex SHA-256 of the text that it signed.
type Proof struct {
	KeyID string `json:"key_id"`
	Text  string `json:"text_hash,omitempty"`
}

// RequirePowers makes every version that raises something wait for its signatures. Call it before the link is up.
func (l *Live) RequirePowers(p Powers) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.powers = p
}

// Raises lists what next lets agents do beyond s, in a fixed order.
func (s State) Raises(next wire.Config) []Raise {
	to := newState(next, next.Version, s.rules)
	var all []Raise
	if next.DefaultLevel > s.cfg.DefaultLevel {
		all = append(all, Raise{
			wire.ChangeAutonomy,
			wire.AutonomyBody{Level: next.DefaultLevel},
			fmt.Sprintf("the usual level goes up to %d", next.DefaultLevel),
		})
	}
	all = append(all, s.spendRaises(to)...)
	all = append(all, s.toolRaises(to)...)
	for _, id := range names(s.cfg.Agents, next.Agents) {
		all = append(all, s.raisesOf(id, to)...)
	}
	for _, a := range next.Inside {
		if !s.Has(a) {
			all = append(all, Raise{wire.ChangeInside, a, a + " counts as inside"})
		}
	}
	return all
}

// raisesOf are those of one agent. An agent that follows the usual level rises with it, which is said once.
func (s State) raisesOf(id string, to State) (all []Raise) {
	was, is := s.cfg.Agents[id], to.cfg.Agents[id]
	if to.Level(id) > s.Level(id) && (is.Level != 0 || was.Level != 0) {
		all = append(all, Raise{
			wire.ChangeAutonomy,
			wire.AutonomyBody{Agent: id, Level: is.Level},
			fmt.Sprintf("the level of %s goes up to %d", id, to.Level(id)),
		})
	}
	for _, tool := range is.Unlocked {
		if !slices.Contains(was.Unlocked, tool) {
			all = append(all, Raise{
				wire.ChangeUnlock,
				wire.UnlockBody{Agent: id, Tool: tool},
				fmt.Sprintf("%s may use %s outward", id, tool),
			})
		}
	}
	for _, colleague := range is.Asks {
		if !slices.Contains(was.Asks, colleague) {
			all = append(all, Raise{
				wire.ChangeAsk, wire.AskBody{Agent: id, Colleague: colleague}, fmt.Sprintf("%s may hand tasks to %s", id, colleague),
			})
		}
	}
	if was.Off && !is.Off {
		all = append(all, Raise{wire.ChangeOn, wire.AgentBody{Agent: id}, id + " is switched on"})
	}
	if is.Model != was.Model && !wire.IsPreset(is.Model) {
		all = append(all, Raise{wire.ChangeModel, wire.ModelBody{Agent: id, Model: is.Model}, id + " may use the premium model " +
			is.Model})
	}
	if wire.BudgetRises(was.Day, is.Day) {
		all = append(all, Raise{wire.ChangeBudget, wire.BudgetBody{Agent: id, Tokens: is.Day}, "the budget of " + id + " rises"})
	}
	if was.Sandboxed && !is.Sandboxed {
		all = append(all, Raise{wire.ChangeSandboxLeft, wire.AgentBody{Agent: id}, id + " may work outside the sandbox"})
	}
	return all
}

// toolRaises are those that give tools back to all agents.
func (s State) toolRaises(to State) (all []Raise) {
	was, is := s.cfg.Tools, to.cfg.Tools
	for _, tool := range was.Denied {
		if !slices.Contains(is.Denied, tool) {
			all = append(all, Raise{wire.ChangeToolBack, wire.ToolBody{Tool: tool}, tool + " is denied no longer"})
		}
	}
	for _, tool := range was.OwnerOnly {
		if !slices.Contains(is.OwnerOnly, tool) {
			all = append(all, Raise{wire.ChangeToolForAll, wire.ToolBody{Tool: tool}, "others than the owner may have " + tool + " used"})
		}
	}
	return all
}

// spendRaises are those that let the team as a whole use more.
func (s State) spendRaises(to State) (all []Raise) {
	was, is := s.cfg.Spend, to.cfg.Spend
	if is.Beyond && !was.Beyond {
		all = append(all, Raise{wire.ChangeOverage, wire.OverageBody{On: true}, "the team works on, for money, when the pool is empty"})
	}
	if wire.BudgetRises(was.Day, is.Day) {
		all = append(all, Raise{wire.ChangeBudget, wire.BudgetBody{Tokens: is.Day}, "the budget of the team rises"})
	}
	if m := is.Embeddings; m != "" && m != was.Embeddings {
		all = append(all, Raise{
			wire.ChangeEmbeddings, wire.EmbeddingsBody{Model: m}, "the model " + m + " gets the texts of notes, to say what they mean",
		})
	}
	return all
}

// names are the agents of both versions, sorted.
func names(a, b map[string]wire.AgentConfig) []string {
	var all []string
	for _, m := range []map[string]wire.AgentConfig{a, b} {
		for id := range m {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// raising is what a version raises and who has signed for it.
type raising struct {
	cfg    wire.Config // as it may be applied
	held   []string    // addresses that stay outside
	signed []risen
}

// risen is one raise that was signed, as the receipt names it.
type risen struct {
	What string `json:"what"`
	Proof
}

// raised answers why a version may not be applied: something that it raises is not signed for. An address of a new user
// only stays outside then, and is named in held: the hub adds those while the owner is away, and that must not keep
// other settings from a server. An address that the owner is said to have added comes with a signature, or not at all.
// A version that is refused has used up no signature: the next one may bring it again, with the one that was missing.
func (l *Live) raised(ctx context.Context, tx *sql.Tx, cfg wire.Config) (r raising, bad, err error) {
	l.mu.RLock()
	p, made := l.powers, l.made
	l.mu.RUnlock()
	if p == nil {
		return raising{cfg: cfg}, nil, nil
	}
	now, err := l.kept(tx)
	if err != nil {
		return r, err, nil
	}
	bad, err = l.db.Attempt(tx, func() error {
		r = raising{cfg: cfg}
		return r.by(ctx, tx, p, StateOf(begun(now, made)).Raises(begun(cfg, made)))
	})
	return r, bad, err
}

// by asks who has signed for each raise.
func (r *raising) by(ctx context.Context, tx *sql.Tx, p Powers, all []Raise) error {
	for _, one := range all {
		by, err := p.Raise(ctx, tx, one, r.cfg)
		switch {
		case err == nil && by.KeyID != "":
			r.signed = append(r.signed, risen{one.Says, by})
		case err == nil:
		case one.Kind == wire.ChangeInside && !slices.Contains(r.cfg.Added, one.Body.(string)):
			r.held = append(r.held, one.Body.(string))
		default:
			return fmt.Errorf("%s, which takes the owner's signature: %w", one.Says, err)
		}
	}
	r.cfg.Inside = slices.DeleteFunc(slices.Clone(r.cfg.Inside), func(a string) bool { return slices.Contains(r.held, a) })
	return nil
}

// kept reads the version in force as tx sees it: another one may be on its way to the disk in the same commit.
func (l *Live) kept(tx *sql.Tx) (wire.Config, error) {
	cfg := wire.Config{DefaultLevel: DefaultLevel}
	var body string
	err := l.db.QueryRow(tx, "SELECT body FROM config WHERE id = 1").Scan(&body)
	if errors.Is(err, sql.ErrNoRows) {
		return cfg, nil
	}
	if err != nil {
		return cfg, fmt.Errorf("read configuration: %w", err)
	}
	return cfg, json.Unmarshal([]byte(body), &cfg)
}
