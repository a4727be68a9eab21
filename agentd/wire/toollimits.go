package wire

// The changes of power that let agents see tools again, since version 6. What takes tools away needs no signature.
const (
	ChangeToolBack    ChangeKind = "tool.back"     // body: ToolBody; it is denied no longer for all agents
	ChangeToolForAll  ChangeKind = "tool.for_all"  // body: ToolBody; others than the owner may have it used
	ChangeSandboxLeft ChangeKind = "agent.unboxed" // body: AgentBody; the agent works outside the sandbox too
)

// ToolBody is what is signed to give a tool back.
type ToolBody struct {
	Tool string `json:"tool"`
}

// ToolLimits is what the owner has set about tools for all agents. Both lists are sorted; nil: none.
type ToolLimits struct {
	Denied    []string `json:"denied,omitempty"`     // no agent sees them
	OwnerOnly []string `json:"owner_only,omitempty"` // seen only in runs that begin with what the owner wrote
}

// RoleOwner is the Role of an owner of the business.
const RoleOwner = "owner"
