package policy

// Shown is how much of a sentence of a Class is shown.
const Shown = 340

// Class is what a call would really do, judged by its arguments alone. Its sentences may be long and hold what the arguments
// hold: who shows one cuts it to Shown bytes by redact.Clip, which takes the secrets out first.
type Class struct {
	Tier   Tier   `json:"tier"`
	Action string `json:"action"`  // integration.resource.action
	Says   string `json:"summary"` // one sentence that a person understands
	Why    string `json:"why"`     // why the tier is what it is, for forbidden and for raised calls
	// Outside lists the recipients outside the business, in the form in which they are compared.
	Outside []string `json:"outside,omitempty"`
	// External says that it reaches someone outside though its tier does not: something made it riskier than that.
	External bool `json:"external,omitempty"`
	// To is where a request to a business tool goes; nil for every other call.
	To *Destination `json:"to,omitempty"`
	// Money is what it moves; nil: none.
	Money *Money `json:"money,omitempty"`
	// Table is the tier that it has without the owner's Tiers; empty: they did not lift it.
	Table Tier `json:"table,omitempty"`
}

// Destination is the business tool that a request goes to, as the registry names it.
type Destination struct {
	Tools []string `json:"tools,omitempty"` // every name that it has; none: it goes to no tool
	Bases []string `json:"bases,omitempty"` // where it is reached, for a request that names the path alone
}

// Outward says whether it reaches someone outside, whatever tier it has besides.
func (c Class) Outward() bool { return c.External || c.Tier == YellowExternal }

// Raised is c when something else makes it riskier. It reaches whom it reached before.
func (c Class) Raised(t Tier, why string) Class {
	c.External, c.Tier, c.Why = c.Outward(), t, why
	return c
}

// Refuse is the class of a call that may never run, with the reason that the agent reads.
func Refuse(action, why string) Class {
	return Class{Tier: Forbidden, Action: action, Says: why, Why: why}
}
