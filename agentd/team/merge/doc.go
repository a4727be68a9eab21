// Package merge brings two changes of one text together, line by line: the owner's and the template's.
//
// Change here: how lines are brought together and how conflicts are marked. Not here: which files are merged (agentd/team),
// what the owner does about conflicts (agentd/team/desk).
// May import: go-difflib. Used by: agentd/team, agentd/team/desk. Proof: go test ./agentd/team/merge
package merge
