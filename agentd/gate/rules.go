package gate

import (
	"strings"

	"gatehouse/agentd/config"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// subject is what the owner's rules see of this call.
func (p *pass) subject() policy.Subject {
	_, bytes := p.measured()
	return policy.Subject{
		Agent: p.c.Agent, Tool: p.c.Tool, Action: p.class.Action, Tier: p.class.Tier, Table: p.class.Table, Channel: p.c.Origin.Channel, Tainted: len(p.c.Taint) > 0,
		Args: p.c.Args, Root: p.g.d.Root, To: p.class.To, Recipients: len(p.class.Outside), Bytes: bytes, Money: p.class.Money,
	}
}

// measured is how many files and bytes the call would touch, as far as its tool has measured them.
func (p *pass) measured() (files, bytes int64) {
	for _, f := range p.facts {
		switch f.Name {
		case "files":
			files = f.Value
		case "bytes":
			bytes = f.Value
		}
	}
	return files, bytes
}

// input is everything the decision of this call depends on, but for budgets and open windows.
func (p *pass) input(s config.State) policy.Input {
	m, _ := s.Rules()
	r := m.Judge(p.subject())
	in := policy.Input{
		Tier: p.class.Tier, Level: min(s.Level(p.c.Agent), p.c.Level), Unlocked: s.Unlocked(p.c.Agent, p.c.Tool), Outward: p.class.Outward(),
		Always: policy.Installs(p.class.Action), Taint: policy.TaintOf(p.c.Taint, p.class.Outside, p.c.Request),
		Novel: len(p.class.Outside) > 0 && !policy.Names(p.c.Request, p.class.Outside),
		Rule:  r.Effect, RuleWhy: r.Why, Outgoing: p.outgoing, OutgoingWhy: p.outgoingWhy,
	}
	if p.judged != nil {
		in.Guardian, in.Judged = policy.Opinion(p.judged.Verdict), p.judged.Reason
	}
	return in
}

// root is the run at the top of the tree that this call belongs to.
func (p *pass) root() string {
	if p.c.RootRunID != "" {
		return p.c.RootRunID
	}
	return p.c.RunID
}

// named adds to the reason of a question what content from outside stands behind it.
func (p *pass) named(why string) string {
	if len(p.c.Taint) == 0 {
		return why
	}
	const most = 5
	var from []string
	for _, s := range p.c.Taint[:min(len(p.c.Taint), most)] {
		from = append(from, s.Source+" ("+s.ID+")")
	}
	if more := len(p.c.Taint) - most; more > 0 {
		from = append(from, "and more")
	}
	return clip(why+". This run has read from outside: "+strings.Join(from, ", "), maxNoted)
}

func (p *pass) wireTaint() []wire.TaintSource {
	var all []wire.TaintSource
	for _, s := range p.c.Taint {
		all = append(all, wire.TaintSource(s))
	}
	return all
}
