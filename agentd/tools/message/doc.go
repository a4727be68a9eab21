// Package message is the tool message: one mail to one person, by SMTP.
//
// Change here: how a mail is built and sent. Not here: who counts as inside (agentd/policy).
// May import: agentd/gate, agentd/policy, agentd/redact, agentd/tool, go-mail. Used by: agentd.
// Proof: go test ./agentd/tools/message
package message
