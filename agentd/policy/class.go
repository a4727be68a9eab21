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
}

// Refuse is the class of a call that may never run, with the reason that the agent reads.
func Refuse(action, why string) Class {
	return Class{Tier: Forbidden, Action: action, Says: why, Why: why}
}
