package ingress

// The patterns that a report names.
const (
	Directed   = "instruction"        // an order to the machine, of no kind that has a name of its own
	Override   = "override"           // other orders than the owner's
	Role       = "role_spoof"         // poses as the system, a person in charge or another turn
	Hidden     = "hidden_text"        // text that a person would not see
	Invisible  = "invisible_text"     // text in characters that show nothing
	Exfiltrate = "exfiltration"       // data is to go somewhere
	Tool       = "tool_imitation"     // poses as a call or its result, or asks for one
	Credential = "credential_request" // asks for a secret
	Pressure   = "urgency_secrecy"    // haste, and nobody is to know
	Encoded    = "encoded_payload"    // words in a disguise
	Memory     = "memory_poisoning"   // is to be kept for later
	Approval   = "approval_spoof"     // says that it was allowed, or that nobody need be asked
	Addressed  = "addressed_to_agent" // speaks to the model, not to its owner
	Delimiter  = "delimiter_spoof"    // poses as the end of this content
)

// rule gives weight to words that stand together.
type rule struct {
	pattern string
	weight  float64
	within  int       // words from the first to any other
	after   bool      // the others follow the first
	plainly bool      // not when the first is denied: "never send your password"
	half    concept   // a word of these among the others makes it half as heavy
	words   []concept // the rarest first
}

// unseenRules also count in text that a person would not see: there, an order to whoever reads it is enough.
var unseenRules = []rule{
	{pattern: Addressed, weight: 0.5, within: 8, words: []concept{helper | machine, must}},
	{pattern: Pressure, weight: 0.5, within: 7, words: []concept{must, money, all}},
	{pattern: Exfiltrate, weight: 0.5, within: 8, words: []concept{send | run, dest, must | all}},
}

// rules: a weight of 1 is enough by itself. Lighter ones add up when they stand near each other.
var rules = append(append(overrideRules, dataRules...), deedRules...)

var overrideRules = []rule{
	{pattern: Override, weight: 1.2, within: 7, after: true, plainly: true, half: my, words: []concept{ignore, order, prior | above}},
	{pattern: Override, weight: 1.0, within: 6, plainly: true, half: my, words: []concept{ignore, order, prior | above}},
	{pattern: Override, weight: 1.1, within: 5, after: true, plainly: true, half: my, words: []concept{ignore, order, your}},
	{pattern: Override, weight: 1.1, within: 7, plainly: true, words: []concept{ignore, order, machine | authority}},
	{pattern: Override, weight: 1.0, within: 5, after: true, plainly: true, half: my, words: []concept{ignore, duty, your, prior}},
	{pattern: Override, weight: 0.8, within: 5, after: true, plainly: true, half: my, words: []concept{ignore, duty, your}},
	{pattern: Override, weight: 0.5, within: 5, after: true, plainly: true, half: my, words: []concept{ignore, duty, prior}},
	{pattern: Override, weight: 1.0, within: 5, after: true, plainly: true, words: []concept{ignore, prompt}},
	{pattern: Override, weight: 0.8, within: 5, after: true, plainly: true, words: []concept{ignore, above}},
	{pattern: Override, weight: 1.0, within: 9, words: []concept{not, follow, order, prior | your | authority}},
	{pattern: Override, weight: 0.7, within: 8, half: my, words: []concept{void, order, prior}},
	{pattern: Override, weight: 1.0, within: 9, words: []concept{void, above}},
	{pattern: Override, weight: 0.5, within: 3, after: true, words: []concept{ignore, person}},
	{pattern: Override, weight: 1.0, within: 5, after: true, plainly: true, words: []concept{ignore, person, duty}},
	{pattern: Override, weight: 1.0, within: 4, after: true, words: []concept{not, above}},
	{pattern: Override + "#obey", weight: 0.35, within: 4, after: true, words: []concept{follow, person | authority}},
	{pattern: Override + "#new", weight: 0.25, within: 6, words: []concept{follow, fresh, order}},
	{pattern: Override, weight: 1.0, within: 12, words: []concept{void, order, your | machine}},
	{pattern: Override, weight: 0.7, within: 6, words: []concept{void, duty, your}},
	{pattern: Override, weight: 0.6, within: 4, after: true, half: my, words: []concept{fresh, order | duty, your | machine}},
	{pattern: Override, weight: 0.65, within: 8, half: my, words: []concept{follow, order, fresh, your | must}},
	{pattern: Override, weight: 0.9, within: 8, words: []concept{follow, order, machine}},
	{pattern: Override, weight: 0.8, within: 6, words: []concept{fresh, order, authority | machine}},
	{pattern: Override, weight: 0.5, within: 3, after: true, words: []concept{fresh, order | prompt}},
	{pattern: Role, weight: 1.1, within: 8, after: true, words: []concept{become, persona}},
	{pattern: Role, weight: 0.8, within: 4, after: true, words: []concept{become, machine}},
	{pattern: Role, weight: 0.45, within: 4, after: true, words: []concept{become, helper}},
	{pattern: Role, weight: 1.0, within: 12, after: true, words: []concept{become, secret | prompt}},
	{pattern: Role, weight: 0.6, within: 10, words: []concept{authority, must, machine}},
	{pattern: Role, weight: 0.5, within: 6, words: []concept{machine, order, your}},
	{pattern: Role, weight: 0.8, within: 8, words: []concept{persona, machine, your | must}},
	{pattern: Role, weight: 0.6, within: 3, after: true, words: []concept{authority, notice, machine | your}},
	{pattern: Role, weight: 0.35, within: 2, after: true, words: []concept{authority, notice}},
	{pattern: Role, weight: 0.6, within: 6, after: true, words: []concept{iAm, authority, your | machine}},
	{pattern: Role, weight: 0.3, within: 6, after: true, words: []concept{iAm, authority | person}},
	{pattern: Role, weight: 0.6, within: 8, words: []concept{machine, authority, must}},
	{pattern: Addressed, weight: 0.8, within: 4, after: true, words: []concept{hail, machine}},
	{pattern: Addressed, weight: 0.55, within: 6, words: []concept{machine, must, your}},
	{pattern: Addressed, weight: 0.4, within: 5, words: []concept{machine, must}},
	{pattern: Addressed, weight: 0.4, within: 3, after: true, words: []concept{hail, helper}},
}

var dataRules = []rule{
	{pattern: Exfiltrate, weight: 1.1, within: 14, after: true, plainly: true, words: []concept{send, private, dest}},
	{pattern: Exfiltrate, weight: 1.1, within: 14, after: true, plainly: true, words: []concept{send, secret, dest}},
	{pattern: Exfiltrate, weight: 1.0, within: 14, after: true, plainly: true, words: []concept{private, send, dest}},
	{pattern: Exfiltrate, weight: 1.0, within: 16, after: true, plainly: true, words: []concept{reveal, some, send, dest}},
	{pattern: Exfiltrate, weight: 0.7, within: 12, plainly: true, words: []concept{send, private, all, dest}},
	{pattern: Exfiltrate, weight: 0.6, within: 8, after: true, plainly: true, words: []concept{send, private, all}},
	{pattern: Exfiltrate, weight: 0.5, within: 8, after: true, plainly: true, words: []concept{send, private, query}},
	{pattern: Exfiltrate, weight: 1.0, within: 12, plainly: true, words: []concept{copyTo, dest, future | all}},
	{pattern: Exfiltrate, weight: 0.7, within: 10, plainly: true, words: []concept{copyTo, secretly | secret}},
	{pattern: Exfiltrate, weight: 0.5, within: 12, words: []concept{future, send, dest}},
	{pattern: Exfiltrate, weight: 1.1, within: 12, after: true, plainly: true, words: []concept{append_, private | secret | prompt, query | dest}},
	{pattern: Exfiltrate, weight: 0.6, within: 10, words: []concept{query, private | secret, append_}},
	{pattern: Exfiltrate, weight: 1.0, within: 6, after: true, plainly: true, words: []concept{reveal, prompt}},
	{pattern: Exfiltrate, weight: 0.8, within: 10, after: true, plainly: true, words: []concept{reveal, private, all, dest | your}},
	{pattern: Exfiltrate, weight: 0.8, within: 12, plainly: true, words: []concept{secretly, send, private | secret | dest}},
	{pattern: Exfiltrate, weight: 0.8, within: 14, after: true, plainly: true, words: []concept{secret, send, dest}},
	{pattern: Exfiltrate, weight: 1.0, within: 14, after: true, plainly: true, words: []concept{send, some, dest, all}},
	{pattern: Exfiltrate, weight: 0.6, within: 14, after: true, plainly: true, words: []concept{send, some, dest}},
	{pattern: Exfiltrate, weight: 0.8, within: 10, words: []concept{secretly, send, some}},
	{pattern: Exfiltrate, weight: 1.0, within: 14, plainly: true, words: []concept{reply, private | secret | prompt, append_ | reveal | send}},
	{pattern: Exfiltrate, weight: 0.8, within: 14, plainly: true, words: []concept{append_, private | secret | prompt, dest}},
	{pattern: Credential, weight: 0.8, within: 12, after: true, plainly: true, words: []concept{secret, send, me}},
	{pattern: Credential, weight: 0.8, within: 7, plainly: true, words: []concept{secret, send | reveal, me}},
	{pattern: Credential, weight: 1.0, within: 12, plainly: true, words: []concept{reply, secret, verify | send | reveal}},
	{pattern: Credential, weight: 1.0, within: 9, after: true, plainly: true, words: []concept{me, secret, reveal | send}},
	{pattern: Credential + "#urgent", weight: 0.45, within: 25, plainly: true, words: []concept{secret, urgent}},
	{pattern: Credential, weight: 0.9, within: 6, after: true, plainly: true, words: []concept{reveal, secret, your | all}},
	{pattern: Credential, weight: 1.0, within: 7, after: true, plainly: true, words: []concept{send, secret, your | all | me}},
	{pattern: Credential, weight: 0.6, within: 5, after: true, plainly: true, words: []concept{send | reveal, secret}},
	{pattern: Credential + "#agent", weight: 0.45, within: 8, words: []concept{machine | helper, must, secret}},
	{pattern: Credential + "#threat", weight: 0.6, within: 25, plainly: true, words: []concept{threat, verify, secret, your}},
	{pattern: Credential, weight: 0.5, within: 4, after: true, plainly: true, words: []concept{verify, secret, your}},
}

var deedRules = []rule{
	{pattern: Tool, weight: 0.8, within: 6, after: true, plainly: true, words: []concept{run, tool}},
	{pattern: Tool, weight: 1.0, within: 10, words: []concept{run, tool, dest | destroy | private | secret | some}},
	{pattern: Tool, weight: 0.7, within: 5, after: true, plainly: true, words: []concept{destroy, all, goods}},
	{pattern: Tool, weight: 0.7, within: 6, plainly: true, words: []concept{must, destroy, goods}},
	{pattern: Tool, weight: 0.9, within: 10, words: []concept{destroy, goods, secretly}},
	{pattern: Pressure, weight: 1.0, within: 6, after: true, words: []concept{not, tell, person}},
	{pattern: Pressure, weight: 1.0, within: 6, words: []concept{nothing, tell, person}},
	{pattern: Pressure, weight: 0.7, within: 5, half: secret, words: []concept{tell, anybody, not | nothing}},
	{pattern: Pressure + "#quiet", weight: 0.5, within: 5, words: []concept{secretly, must | your | send | destroy | run}},
	{pattern: Pressure, weight: 1.0, within: 40, words: []concept{secure, urgent, money | secret}},
	{pattern: Pressure, weight: 0.7, within: 30, words: []concept{secure, money}},
	{pattern: Pressure, weight: 0.6, within: 40, words: []concept{secretly, urgent, money | secret | send}},
	{pattern: Pressure, weight: 0.3, within: 20, words: []concept{urgent, must}},
	{pattern: Encoded, weight: 1.0, within: 12, words: []concept{decode, follow | run, order | must | your | fresh}},
	{pattern: Encoded, weight: 0.8, within: 8, after: true, words: []concept{decode, follow | run}},
	{pattern: Memory, weight: 1.0, within: 12, words: []concept{remember, future, trust | approved | machine | order | ignore}},
	{pattern: Memory, weight: 1.0, within: 14, words: []concept{remember, future, send | copyTo, dest}},
	{pattern: Memory, weight: 0.7, within: 12, after: true, words: []concept{remember, future, send}},
	{pattern: Memory, weight: 0.8, within: 14, words: []concept{keep, future, needless | skip | trust | approved}},
	{pattern: Memory, weight: 0.45, within: 8, words: []concept{remember, future}},
	{pattern: Memory, weight: 1.0, within: 8, words: []concept{remember | keep, memory, your | future | trust | approved}},
	{pattern: Memory, weight: 0.6, within: 6, words: []concept{remember | keep, memory}},
	{pattern: Memory, weight: 0.9, within: 8, after: true, words: []concept{keep | append_, order, your}},
	{pattern: Memory, weight: 1.0, within: 14, words: []concept{future, trust, person | authority}},
	{pattern: Memory, weight: 0.7, within: 8, words: []concept{future, your | machine, trust | ignore | approved}},
	{pattern: Approval, weight: 0.75, within: 6, words: []concept{person | authority, approved, already}},
	{pattern: Approval, weight: 0.35, within: 6, words: []concept{already, approved}},
	{pattern: Approval + "#go", weight: 0.3, within: 10, words: []concept{approved, run}},
	{pattern: Approval + "#skip", weight: 0.7, within: 5, after: true, words: []concept{skip, guard}},
	{pattern: Approval + "#skip", weight: 0.6, within: 6, words: []concept{skip | needless, guard}},
	{pattern: Approval + "#skip", weight: 1.0, within: 4, after: true, plainly: true, words: []concept{skip, guard, your}},
	{pattern: Approval + "#skip", weight: 0.8, within: 4, after: true, plainly: true, words: []concept{skip, guard, all | future}},
	{pattern: Approval, weight: 1.0, within: 9, after: true, words: []concept{trust, approved, person | your | all}},
	{pattern: Approval, weight: 0.8, within: 6, after: true, words: []concept{trust, approved}},
}
