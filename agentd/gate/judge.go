package gate

import (
	"context"
	"time"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// judgeWithin is how long the guardian may think. A late answer counts as doubt.
const judgeWithin = 5 * time.Second

// Guardian is the second look at risky calls.
type Guardian interface {
	// Model names the model, and says whether it is the rehearsal's; empty: none is configured.
	Model() (name string, rehearsal bool)
	// On says whether it is to be asked at all; mode is what the owner has set: on, off or empty.
	On(mode string) bool
	// Judge gives an opinion. Whatever fails is its own to turn into doubt; it ends with ctx.
	Judge(ctx context.Context, m Matter) wire.Judgement
}

// Matter is what the guardian sees of a call: never the content from outside itself.
type Matter struct {
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

// consult is stage 5: what changes something, or comes of content from outside, gets a second look. What is refused
// anyway does not.
func (p *pass) consult(ctx context.Context) {
	g := p.g.d.Guardian
	s := p.g.d.Rules.State()
	m, _ := s.Rules()
	in := p.input(s)
	due := p.class.Tier != policy.Green || len(p.c.Taint) > 0
	if g == nil || !due || !g.On(m.GuardianMode()) || policy.Decide(in).Effect == policy.Deny {
		return
	}
	p.judged = p.opinion(ctx, g, in)
	p.notes = append(p.notes, p.entry("call.judged", map[string]any{
		"verdict": p.judged.Verdict, "reason": clip(p.judged.Reason, maxNoted), "model": p.judged.Model, "ms": p.judged.MS, "failed": p.judged.Failed,
	}))
}

// reconsider puts arguments that a person edited on record as what they are, and before the guardian: what it said of the
// former ones says nothing of these. Once is enough, however often the start is tried.
func (p *pass) reconsider(ctx context.Context, a *question) {
	if len(a.Edited) == 0 || p.reheard == a.ID {
		return
	}
	p.reheard = a.ID
	p.noteClassified()
	p.judged = nil
	p.consult(ctx)
}

// doubted says why what a person edited in is asked about again: the one who allowed it has not read what the guardian says
// of it. Empty: it has no doubt.
func (p *pass) doubted() string {
	if p.judged == nil || policy.Opinion(p.judged.Verdict) == policy.Harmless {
		return ""
	}
	return "the guardian wants a person to look at what was edited in: " + p.judged.Reason
}

// opinion asks the guardian, for so long and no longer. Whatever goes wrong counts as doubt.
func (p *pass) opinion(ctx context.Context, g Guardian, in policy.Input) *wire.Judgement {
	m, said := p.matter(in), make(chan wire.Judgement, 1) // a late one goes on beside us: it shares nothing of the pass
	began := time.Now()
	err := guard(ctx, p.g.judgeWithin(), func(ctx context.Context) error {
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
		p.g.d.Log.WarnContext(ctx, "guardian gave no answer", "call_id", p.c.ID, "error", err)
		got = wire.Judgement{Verdict: string(policy.Escalate), Failed: true, Reason: "it gave no answer in time"}
	}
	got.MS, got.Reason = ms, clip(got.Reason, 1000)
	return &got
}

func (p *pass) matter(in policy.Input) Matter {
	return Matter{
		Request: p.c.Request, Agent: p.c.Agent, Tool: p.c.Tool, Action: p.class.Action, Tier: p.class.Tier, Summary: p.class.Says, Args: p.c.Args,
		Reason: p.c.Reason, Outside: p.class.Outside, Taint: p.c.Taint, Level: in.Level, Rule: in.RuleWhy,
	}
}

// judgeWithin is the time that the guardian has.
func (g *Gate) judgeWithin() time.Duration {
	if g.d.JudgeWithin > 0 {
		return g.d.JudgeWithin
	}
	return judgeWithin
}
