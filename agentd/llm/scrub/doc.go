// Package scrub takes secrets out of a request to a model, wherever in its JSON they stand: in texts, keys and
// numbers, in JSON that is written into a string, in attachments, and cut into pieces over neighbouring parts.
//
// What was looked at once is remembered by its hash, so that a conversation costs what it grew by.
//
// Change here: where in a request secrets are looked for, which attachments may pass. Not here: what a secret looks
// like (agentd/redact), when a request is sent (agentd/llm/proxy).
// May import: agentd/llm/jsontree, agentd/redact. Used by: agentd/llm/proxy, cmd/agentd. Proof: go test
// ./agentd/llm/scrub
package scrub
