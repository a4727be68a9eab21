package gate

import (
	"context"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// defaultGuardianTimeout is how long the guardian may think. A late answer counts as doubt.
const defaultGuardianTimeout = 5 * time.Second

// Guardian is the second look at risky calls.
type Guardian interface {
	// Model names the model, and whether it belongs to the rehearsal; empty: none is configured.
	Model() (name string, rehearsal bool)
	// On reports whether to ask it at all; mode is what the owner has set: on, off or empty.
	On(mode string) bool
	// Judge gives an opinion. It turns its own failures into doubt, and it ends with ctx.
	Judge(ctx context.Context, m Matter) wire.Judgement
}

// Matter is what the guardian sees of a call: never the content from outside itself.
type Matter struct {
	Run     string // the root run, for the meter
	Request string // what the owner asked for; empty when a machine did
	Agent   string
	Tool    string
	Action  string
	Tier    policy.Tier
	Summary string
	Args    []byte // canonical
	Reason  string // what the agent says it is for
	Outside []string
	Taint   []policy.Source // where content from outside came from
	Level   int
	Rule    string // what the owner's rules say, in plain words
}

// askGuardian is stage 5: a call that changes something, or comes from content from outside, gets a second look. A call that
// is refused anyway does not.
func (p *pipeline) askGuardian(ctx context.Context) {
	g := p.deps.Guardian
	s := p.config()
	m, _ := s.Rules()
	in := p.policyInput(s)
	due := p.class.Tier != policy.Green || len(p.call.Taint) > 0
	if g == nil || !due || !g.On(m.GuardianMode()) || policy.Decide(in).Effect == policy.Deny {
		return
	}
	p.judgement = p.guardianVerdict(ctx, g, in)
	p.receipts = append(p.receipts, p.newReceipt("call.judged", map[string]any{
		"verdict": p.judgement.Verdict, "reason": clip(p.judgement.Reason, maxReceiptText), "model": p.judgement.Model,
		"ms": p.judgement.MS, "failed": p.judgement.Failed,
	}))
}

// askGuardianAgain puts the arguments that a person edited on record and shows them to the guardian: its opinion was about the
// former ones. Once is enough, however often the start is tried.
func (p *pipeline) askGuardianAgain(ctx context.Context, a *approval) {
	if len(a.Edited) == 0 || p.guardianAskedFor == a.ID {
		return
	}
	p.guardianAskedFor = a.ID
	p.addClassifiedReceipt()
	p.judgement = nil
	p.askGuardian(ctx)
}

// guardianDoubt says why edited arguments need another question: the person who allowed them has not read what the guardian
// says of them. Empty: it has no doubt.
func (p *pipeline) guardianDoubt() string {
	if p.judgement == nil || policy.Opinion(p.judgement.Verdict) == policy.Harmless {
		return ""
	}
	return "the guardian wants a person to look at what was edited in: " + p.judgement.Reason
}

// guardianVerdict asks the guardian within its time limit. Whatever goes wrong counts as doubt.
func (p *pipeline) guardianVerdict(ctx context.Context, g Guardian, in policy.Input) *wire.Judgement {
	m, said := p.guardianInput(in), make(chan wire.Judgement, 1) // a late verdict stays in the channel; nobody reads it
	began := time.Now()
	err := bounded(ctx, p.guardianTimeout(), func(ctx context.Context) error {
		said <- g.Judge(ctx, m)
		return ctx.Err()
	})
	ms := time.Since(began).Milliseconds()
	var got wire.Judgement
	if err == nil {
		got = <-said
	}
	switch policy.Opinion(got.Verdict) {
	case policy.Harmless, policy.Block, policy.Escalate:
	default:
		got = wire.Judgement{Verdict: string(policy.Escalate), Failed: true, Reason: "it gave no answer that can be read", Model: got.Model}
	}
	if err != nil {
		p.log.WarnContext(ctx, "guardian gave no answer", "call_id", p.call.ID, "error", err)
		got = wire.Judgement{Verdict: string(policy.Escalate), Failed: true, Reason: "it gave no answer in time"}
	}
	got.MS, got.Reason = ms, clip(got.Reason, 1000)
	return &got
}

func (p *pipeline) guardianInput(in policy.Input) Matter {
	return Matter{
		Run: p.call.rootRun(), Request: p.call.Request, Agent: p.call.Agent, Tool: p.call.Tool, Action: p.class.Action, Tier: p.class.Tier,
		Summary: p.class.Says, Args: p.call.Args, Reason: p.call.Reason, Outside: p.class.Outside,
		Taint: p.call.Taint, Level: in.Level, Rule: in.RuleWhy,
	}
}

// guardianTimeout is the time that the guardian has.
func (g *Gate) guardianTimeout() time.Duration {
	if g.deps.JudgeWithin > 0 {
		return g.deps.JudgeWithin
	}
	return defaultGuardianTimeout
}
