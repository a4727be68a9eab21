// Package answer holds an agent's words against the receipts: which sentences say that something was done, and which
// finished call shows it, and which files they name. It is pure and asks no model.
//
// Change here: the lexicon (lexicon.yaml, with a new version), how sentences are read, how claims and receipts are
// matched, what may be the name of a file. Not here: what happens to an answer that claims too much, which files there are
// (agentd/runtime).
// May import: agentd/lazyre, agentd/policy, agentd/tool, agentd/wire, yaml. Used by: agentd/runtime.
// If you change a kind of effect, also change: agentd/tool, agentd/tools. Proof: go test ./agentd/runtime/answer
package answer
