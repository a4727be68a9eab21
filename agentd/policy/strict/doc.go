// Package strict reads JSON arguments in one way only: what two readers could read in two ways is refused.
//
// Change here: what arguments may look like. Not here: what they mean (agentd/policy), schemas (agentd/tool).
// May import: the standard library. Used by: agentd. Proof: go test ./agentd/tool
package strict
