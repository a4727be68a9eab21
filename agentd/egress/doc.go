// Package egress judges what is about to leave a server: a message, a mail, the body of a request. It looks for
// secrets, numbers that name or harm a person, lists of people, a recipient who is not who he seems, links and hidden
// text that carry data, and more than usual going out.
//
// Numbers count by their published form and check digits; weak forms count beside words that name them. What each
// finding leads to stands in one table (table.go):
//
//	secrets, payment cards, lists and dumps of people            block
//	one person's number, account, health, pay, birth, document   escalate: a person decides
//	new or look-alike recipient, data in links, hidden text      escalate
//	encoded bytes that nobody can read, machines in the house    escalate
//	unusual volume                                               escalate
//	the sender's own account on an invoice, numbers in a footer  no finding
//
// A text is cut into tokens once (token.go). Numbers are looked up by their shape (shape.go, identity_*.go), words in one
// lexicon (lexicon.go); the wide expressions see only the few places where such a word stands. A new number of a state is
// one line in a table, with its shape, its check and the words that name it.
//
// Change here: what is found and what it leads to. Not here: who may send at all (agentd/policy), taking secrets out
// (agentd/redact).
// May import: agentd/ingress, agentd/lazyre, agentd/redact, the standard library, golang.org/x/text. Used by: agentd, cmd/agentd.
// Proof: go test ./agentd/egress
package egress
