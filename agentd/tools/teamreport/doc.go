// Package teamreport is the tool team_report: what each agent did lately, what waits for a person and what is coming, computed
// from the records and not from what a model remembers.
//
// Change here: what the tool says of the records, and in which order. Not here: how the records are read (agentd, briefing.go).
// May import: agentd/gate, agentd/policy, agentd/tool. Used by: agentd. Proof: go test ./agentd/tools/teamreport
package teamreport
