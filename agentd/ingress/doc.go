// Package ingress marks what comes from outside before a model reads it: it wraps the text so that it cannot pose as
// anything else, shows what is invisible, cuts it to a budget and says which known tricks it holds.
//
// What is found is told, never taken away, and nothing is decided by it: a run that read outside content is tainted
// whether or not anything was found. Folding (fold.go), views of hidden and encoded parts (view.go), words and their
// meaning (word.go, lexicon*.go) and scored rules (rule*.go) are kept apart, so that a new trick is a few words or
// one rule in a table. What rules cannot foresee, a linear model does (model.go): it sees words, rows and parts of
// words, meanings and findings (cue.go) of each row of sentences (window.go), and whether a machine is spoken to
// (appeal.go), and is made by agentd/ingress/train.
//
// Change here: marks, budget, patterns, words. Not here: what a tainted run may do (agentd/policy), what leaves
// (agentd/egress).
// May import: the standard library, golang.org/x/text, golang.org/x/net/html. Used by: agentd, agentd/egress,
// cmd/agentd.
// Proof: go test ./agentd/ingress
package ingress
