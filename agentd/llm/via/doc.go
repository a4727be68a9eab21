// Package via is agentd's way to models: the model proxy's socket and nothing else. It hands over the registry of
// secrets, knows at once when the proxy ends, and lets agents wait until it is back. It has no other address to fall
// back to.
//
// Change here: how agentd reaches the proxy and waits for it, how it is kept running where no service manager does.
// Not here: what the proxy does with a request (agentd/llm/proxy), how one is put (agentd/llm/openai).
// May import: agentd/llm/…, agentd/redact. Used by: agentd. Proof: go test ./agentd/llm/via
package via
