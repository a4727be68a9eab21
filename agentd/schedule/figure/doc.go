// Package figure finds the number that a monitor watches in what a tool gave, and says whether its condition holds. It is pure, and
// no model has a part in it.
//
// Change here: where a number may stand, how it is written, what can be compared. Not here: when it is looked at and what follows
// (agentd/schedule).
// May import: agentd/wire. Used by: agentd/schedule. Proof: go test ./agentd/schedule/...
package figure
