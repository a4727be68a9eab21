package gate

import (
	"strings"

	"gatehouse/agentd/config"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
	"gatehouse/agentd/wire"
)

// ruleSubject is what the owner's rules see of this call.
func (p *pipeline) ruleSubject() policy.Subject {
	_, bytes := measuredSize(p.facts)
	return policy.Subject{
		Agent: p.call.Agent, Tool: p.call.Tool, Action: p.class.Action, Tier: p.class.Tier, Table: p.class.Table,
		Channel: p.call.Origin.Channel, Tainted: len(p.call.Taint) > 0,
		Args: p.call.Args, Root: p.deps.Root, To: p.class.To, Recipients: len(p.class.Outside), Bytes: bytes, Money: p.class.Money,
	}
}

// measuredSize is how many files and bytes a call would touch, if its tool has measured them.
func measuredSize(facts []tool.Fact) (files, bytes int64) {
	for _, f := range facts {
		switch f.Name {
		case "files":
			files = f.Value
		case "bytes":
			bytes = f.Value
		}
	}
	return files, bytes
}

// budgetUse is what a call spends of the budgets of its tree of runs.
func budgetUse(c policy.Class, facts []tool.Fact) policy.Spent {
	files, bytes := measuredSize(facts)
	return policy.SpendOf(c, files, bytes)
}

// policyInput is everything the decision about this call depends on, except budgets and open windows.
func (p *pipeline) policyInput(s config.State) policy.Input {
	m, _ := s.Rules()
	r := m.Judge(p.ruleSubject())
	in := policy.Input{
		Tier: p.class.Tier, Level: min(s.Level(p.call.Agent), p.call.Level),
		Unlocked: s.Unlocked(p.call.Agent, p.call.Tool), Outward: p.class.Outward(),
		Always: policy.Installs(p.class.Action), Taint: policy.TaintOf(p.call.Taint, p.class.Outside, p.call.Request),
		Novel: len(p.class.Outside) > 0 && !policy.Names(p.call.Request, p.class.Outside),
		Rule:  r.Effect, RuleWhy: r.Why, Outgoing: p.scanEffect, OutgoingWhy: p.scanWhy,
	}
	if p.judgement != nil {
		in.Guardian, in.Judged = policy.Opinion(p.judgement.Verdict), p.judgement.Reason
	}
	return in
}

// withTaintSources adds to the reason of a question which content from outside the run has read.
func (p *pipeline) withTaintSources(why string) string {
	if len(p.call.Taint) == 0 {
		return why
	}
	const most = 5
	var from []string
	for _, s := range p.call.Taint[:min(len(p.call.Taint), most)] {
		from = append(from, s.Source+" ("+s.ID+")")
	}
	if more := len(p.call.Taint) - most; more > 0 {
		from = append(from, "and more")
	}
	return clip(why+". This run has read from outside: "+strings.Join(from, ", "), maxReceiptText)
}

func (p *pipeline) wireTaint() []wire.TaintSource {
	var all []wire.TaintSource
	for _, s := range p.call.Taint {
		all = append(all, wire.TaintSource(s))
	}
	return all
}
