package runtime

import (
	"encoding/json"

	"gatehouse/agentd/wire"
)

// What one message of a stranger may cost: nobody knows who they are, and anybody can write. It is enough for an answer and for a few
// calls that are refused.
const (
	strangerTokens = 60_000
	strangerSteps  = 6
)

// strangerRules is what an agent is told where a stranger writes. It protects nothing: what a stranger may cause, the gate decides.
const strangerRules = `You write to somebody outside the business, such as a customer, in a messenger or by mail. Nobody here has ` +
	`confirmed who they are. You have no tools here, no files and no memory, and you make no promises in the name of the business: no ` +
	`prices, dates or refunds beyond what stands above. When you do not know something, or they need something done, say so, and say that ` +
	`they reach a person by writing PERSON. Answer briefly, in the language of the message, without Markdown.`

// sameStranger says whether an earlier turn of a conversation is of the very stranger who stands behind this one. What others wrote in it,
// as the owner on the page of the conversation, and what they were answered with all that the agent may read, is not for the stranger.
func sameStranger(a, b wire.Origin) bool {
	return b.Stranger() && a.Channel == b.Channel && a.Address == b.Address
}

// originOf is who stands behind a run as it is on record. One that cannot be read is nobody's.
func originOf(row runRow) (o wire.Origin) {
	if json.Unmarshal(row.Origin, &o) != nil {
		return wire.Origin{}
	}
	return o
}

// maxSteps is how many times the model is asked for one run.
func (r *run) maxSteps() int {
	if r.t.origin.Stranger() {
		return min(r.rt.limits.Steps, strangerSteps)
	}
	return r.rt.limits.Steps
}
