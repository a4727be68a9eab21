// Package openai asks any endpoint that speaks OpenAI's chat completions, through the official Go SDK.
//
// Change here: how requests are put and streams are read in that protocol, which answers are which failure. Not
// here: what is asked (agentd/runtime), retries and fallback (none: a failure is told, never papered over).
// May import: agentd/llm, agentd/tool, the SDK. Used by: agentd/llm/via, cmd/agentd.
// Proof: go test ./agentd/llm/openai
package openai
