package gate

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// maxPending is how many approvals of one agent may wait at once.
const maxPending = 20

// ask is the first half of stage 7: the question is durable, and on its way to the hub, before anyone waits for it.
func (p *pass) ask(ctx context.Context, d decision) (string, error) {
	a, err := p.question(d)
	if err != nil {
		return "", err
	}
	r := p.record(stateAsked)
	r.Approval = a.ID
	err = p.g.write(ctx, func(ch change) error {
		if err := ch.fresh(d); err != nil {
			return err
		}
		if err := ch.room(a.Agent); err != nil {
			return err
		}
		return ch.asked(p, r, a)
	})
	if err != nil {
		return "", err
	}
	p.rec, p.notes = r, nil
	failpoint.Hit("asked")
	return a.ID, nil
}

// asked writes the question, its call and its receipts.
func (ch change) asked(p *pass, r *record, a *question) error {
	if err := ch.single(a); err != nil {
		return err
	}
	if err := ch.code(a); err != nil {
		return err
	}
	if err := ch.receipts(append(p.notes, p.noteAsked(a))); err != nil {
		return err
	}
	if err := ch.g.clock.keep(ch.ctx, ch.tx, a.CreatedAt); err != nil {
		return err
	}
	if err := ch.record(r); err != nil {
		return err
	}
	return ch.ask(a)
}

// room refuses one question too many of an agent.
func (ch change) room(agent string) error {
	var n int
	err := ch.tx.QueryRowContext(ch.ctx, "SELECT count(*) FROM gate_approvals WHERE agent = ? AND state = 'pending'", agent).Scan(&n)
	if err != nil {
		return fmt.Errorf("count approvals: %w", err)
	}
	if n >= maxPending {
		return &refusal{"approval", fmt.Sprintf("%d requests of this agent wait already", n), fmt.Sprintf("%d of your requests already wait for a person. Ask again when some are answered.", n)}
	}
	return nil
}

// single refuses a question that waits already.
func (ch change) single(a *question) error {
	var code string
	err := ch.tx.QueryRowContext(ch.ctx, "SELECT code FROM gate_approvals WHERE agent = ? AND tool = ? AND args_hash = ? AND state = 'pending'", a.Agent, a.Tool, a.ArgsHash).Scan(&code)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return fmt.Errorf("find approval: %w", err)
	}
	return &refusal{"approval", "the same request waits already as " + code, "The same request already waits for a person, as " + code + ". It was not asked twice."}
}

// code gives a one that no other waiting question has.
func (ch change) code(a *question) error {
	for {
		a.Code = newCode()
		var taken int
		if err := ch.tx.QueryRowContext(ch.ctx, "SELECT count(*) FROM gate_approvals WHERE code = ? AND state = 'pending'", a.Code).Scan(&taken); err != nil {
			return fmt.Errorf("find code: %w", err)
		}
		if taken == 0 {
			return nil
		}
	}
}

// question makes the approval of this call as it stands now.
func (p *pass) question(d decision) (*question, error) {
	server := p.g.d.ServerID()
	if server == "" {
		return nil, ErrNotRegistered
	}
	now := p.g.clock.now()
	a := &question{Approval: wire.Approval{
		ServerID: server, SessionID: p.c.SessionID, RootRunID: p.c.RootRunID, RunID: p.c.RunID,
		CallID: p.c.ID, Agent: p.c.Agent, Tool: p.c.Tool, Action: p.class.Action, Args: p.c.Args, ArgsHash: p.argsHash,
		Tier: string(p.class.Tier), PolicyVersion: d.version, StagedHash: "-", Summary: p.class.Says, Facts: p.wireFacts(),
		Reason: clip(p.c.Reason, 2000), WhyAsked: d.Why, Windows: p.lengths(),
		RulesVersion: d.rules, Taint: p.wireTaint(), Guardian: p.judged, Destination: policy.SameFor(p.class, p.c.Args, p.g.d.Root),
	}}
	if p.staged != nil {
		a.StagedHash = p.staged.Hash
		a.Diff = &wire.Diff{Path: p.staged.Path, Unified: p.staged.Unified, New: p.staged.New, Added: p.staged.Added, Removed: p.staged.Removed}
	}
	if err := a.mask(); err != nil {
		return nil, err
	}
	if err := a.stampNew(now, p.g.waits(a.Tier)); err != nil {
		return nil, err
	}
	a.Rule = p.propose(a.ID)
	return a, a.fits()
}

// maxAsked is how large a question may be: the server's signature, and what is said when it has to be put again, beside it,
// must fit into a frame too.
const maxAsked = wire.MaxBody - 37<<10

// fits refuses a question that could not be put again.
func (a *question) fits() error {
	raw, err := json.Marshal(a.Approval)
	if err != nil {
		return fmt.Errorf("measure approval: %w", err)
	}
	if len(raw) > maxAsked {
		return tooLarge()
	}
	return nil
}

// whyTooLarge says why a question is not asked, or not asked again.
const whyTooLarge = "it is too large to be shown to a person"

// tooLarge refuses a question that cannot be sent.
func tooLarge() *refusal {
	return &refusal{"approval", whyTooLarge, "This is too large to be shown to a person, so nobody could allow it. Do it in smaller pieces."}
}

// lengths are the windows that a person is offered: none for what a window would not cover.
func (p *pass) lengths() []int {
	gated := p.class.Tier == policy.Red && p.class.Outward() && !p.g.d.Rules.State().Unlocked(p.c.Agent, p.c.Tool)
	if p.outgoing != "" || policy.Installs(p.class.Action) || gated {
		return []int{}
	}
	return policy.Windows(p.class.Tier)
}

// waits is how long a question of a tier waits for its answer, as the owner's rules have it now.
func (g *Gate) waits(tier string) time.Duration {
	m, _ := g.d.Rules.State().Rules()
	return policy.ExpiryOf(m, policy.Tier(tier))
}

// stampNew makes a a question of its own: an id and a life, pending, bound by its digest.
func (a *question) stampNew(now time.Time, life time.Duration) error {
	id, err := uuid.NewV7()
	if err != nil {
		return fmt.Errorf("approval id: %w", err)
	}
	a.ID = id.String()
	a.CreatedAt, a.ExpiresAt = now, now.Add(life).Truncate(time.Second)
	a.State, a.Execution = wire.ApprovalPending, wire.ExecNone
	a.Next, a.DecidedBy, a.DenyReason, a.Edited, a.Key = "", nil, "", nil, ""
	a.Digest = wire.DigestOf(a.Approval)
	return nil
}

// newCode makes a code for people to type: 6 characters that are not mistaken for each other, about 29 bits.
func newCode() string {
	const letters = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
	var b [6]byte
	_, _ = rand.Read(b[:]) // crypto/rand.Read never fails: it ends the program instead
	for i := range b {
		b[i] = letters[int(b[i])%len(letters)]
	}
	return string(b[:])
}

func (p *pass) wireFacts() []wire.Fact {
	facts := make([]wire.Fact, 0, len(p.facts))
	for _, f := range p.facts {
		facts = append(facts, wire.Fact(f))
	}
	return facts
}

// record is the call as it now stands, in the given state.
func (p *pass) record(s wire.ToolState) *record {
	r := &record{Call: p.c, AskedHash: p.asWritten, State: s, Class: p.class, ArgsHash: p.argsHash, Facts: p.facts, Frozen: p.frozen, Staged: p.staged, CreatedAt: p.g.clock.now(), Judged: p.judged}
	if p.rec != nil {
		r.Approval, r.CreatedAt, r.StartedAt = p.rec.Approval, p.rec.CreatedAt, p.rec.StartedAt
	}
	return r
}
