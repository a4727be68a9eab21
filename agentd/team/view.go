package team

import (
	"slices"

	"gatehouse/agentd/policy"
	"gatehouse/agentd/wire"
)

// Origin says who stands behind a run. Whatever the run hands on or begins has the same origin.
type Origin string

// The origins. Only the first may have tools used that are for the owner alone.
const (
	ByOwner    Origin = "owner"    // an owner of the business wrote the message, signed in to the portal
	ByMember   Origin = "member"   // somebody else of the business did
	ByProgram  Origin = "program"  // a program did, with the token of a person: who wrote the text is not known
	ByOutside  Origin = "outside"  // it came from elsewhere
	BySchedule Origin = "schedule" // a schedule or a monitor began it
	ByHook     Origin = "hook"     // a program outside began it
	ByStranger Origin = "stranger" // somebody whom nobody has confirmed wrote to a channel that is open to everybody
	ByReport   Origin = "report"   // nobody wrote it: it tells what sub-agents found
)

// Origins lists them.
func Origins() []Origin {
	return []Origin{ByOwner, ByMember, ByProgram, ByOutside, BySchedule, ByHook, ByStranger, ByReport}
}

// OriginOf is the origin of a run by its message. Who is not known to be an owner is none.
func OriginOf(o wire.Origin) Origin {
	if o.Stranger() {
		return ByStranger
	}
	switch policy.OriginOf(o.Channel) {
	case policy.FromSchedule:
		return BySchedule
	case policy.FromWebhook:
		return ByHook
	case policy.FromAPI:
		return ByProgram
	case policy.FromPortal:
	default:
		return ByOutside
	}
	switch {
	case o.Report:
		return ByReport
	case o.Role == wire.RoleOwner:
		return ByOwner
	}
	return ByMember
}

// View is what decides, beside the files of the team and the tools of the server, which tools an agent sees in a run.
type View struct {
	Agent     string
	Model     string // that it thinks with; empty: one of which nothing is known
	Asks      bool   // the owner lets it hand tasks to colleagues
	Sandboxed bool   // it works in the sandbox only
	Origin    Origin // of the run
	Denied    []string
	OwnerOnly []string
}

// ViewOf is the view of an agent that thinks with a model, under what the owner has set.
func ViewOf(cfg wire.Config, agent, model string, from Origin) View {
	own := cfg.Agents[agent]
	return View{
		Agent: agent, Model: model, Asks: len(own.Asks) > 0, Sandboxed: own.Sandboxed, Origin: from,
		Denied: cfg.Tools.Denied, OwnerOnly: cfg.Tools.OwnerOnly,
	}
}

// lends says whether the owner gives the agent a tool that its files may not: the one that hands tasks to the colleagues that the
// owner named.
func (v View) lends(name string) bool { return v.Asks && name == dispatchTool }

// dispatchTool hands tasks to colleagues.
const dispatchTool = "agent_dispatch"

// sandboxList are the tools that stay in the sandbox: they reach files of the business and the team's own notes and dates, but no
// network, no people and no colleague who may.
var sandboxList = []string{"group:fs", "group:runtime", "group:memory", "group:automation", "group:reports"}

func (t *Team) global(v View, _ member, name string) Layer {
	if slices.Contains(v.Denied, name) {
		return Layer{"global", false, "the owner has denied it for all agents"}
	}
	return Layer{"global", true, "the owner has not denied it for all agents"}
}

func (t *Team) sandbox(v View, _ member, name string) Layer {
	switch {
	case !v.Sandboxed:
		return Layer{"sandbox", true, "this agent may work outside the sandbox"}
	case holds(sandboxList, name):
		return Layer{"sandbox", true, "it stays in the sandbox"}
	}
	return Layer{"sandbox", false, "this agent works in the sandbox only, and the tool reaches outside it"}
}

func (t *Team) owner(v View, _ member, name string) Layer {
	switch {
	case !slices.Contains(v.OwnerOnly, name):
		return Layer{"owner", true, "it is not for the owner alone"}
	case v.Origin == ByOwner:
		return Layer{"owner", true, "it is for the owner alone, who wrote the message"}
	}
	return Layer{"owner", false, "only what the owner writes in the portal may have it used, and " + began(v.Origin)}
}

// began says in words who began a run that no owner did.
func began(o Origin) string {
	switch o {
	case ByMember:
		return "somebody else wrote this message"
	case ByProgram:
		return "a program sent this message"
	case BySchedule:
		return "a schedule began this run"
	case ByHook:
		return "a hook began this run"
	case ByStranger:
		return "a stranger wrote this message"
	case ByReport:
		return "this is a report of sub-agents"
	}
	return "this message came from outside"
}
