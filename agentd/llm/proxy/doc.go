// Package proxy is the one way from this server to model providers: it takes requests in the protocols of OpenAI and
// Anthropic, takes the secrets out, adds the provider's key, sends what it has rebuilt to an endpoint of its settings,
// and meters what comes back while it passes.
//
// It runs as a process and user of its own. agentd holds no provider key; the proxy holds no tool and no file of the
// business. Which values are secrets is agentd's knowledge: it hands them over the unix socket before anything else,
// they are kept in memory alone, and until they are there every request is refused. The proxy scans although agentd
// has done so already, because it also serves other programs, and because one forgotten exit in agentd must not be
// enough. Whatever cannot be checked is not sent: an error, a panic or a limit ends in an answer, never at a
// provider.
//
// Change here: who may call, what is forwarded, how failures are answered. Not here: where secrets are looked for
// (agentd/llm/scrub), which endpoint is asked first (agentd/llm/failover), the caller in agentd (agentd/llm/via).
// May import: agentd/llm/…, agentd/redact, agentd/store, agentd/wire. Used by: agentd/llm/via, cmd/agentd, cmd/bench.
// If you change a header or a path, also change: agentd/llm/via. Proof: go test ./agentd/llm/proxy
package proxy
