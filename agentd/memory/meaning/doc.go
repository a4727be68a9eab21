// Package meaning asks a model what notes and questions mean, where the owner has signed for that: notes in batches in the
// background, each once, and kept by provider, model and text; questions while somebody waits, for a moment.
//
// Nothing waits for the model and nothing fails with it. When it does not answer, searches go on by words and spelling, and it is
// tried again, less and less often.
//
// Change here: when a model is asked, what is kept of its answers, what happens when it does not answer. Not here: how meanings are
// searched (agentd/memory/recall), how the model is reached (agentd/llm/via).
// May import: agentd/failpoint, agentd/llm, agentd/memory/recall, agentd/redact, agentd/store, agentd/wire. Used by: agentd.
// Proof: go test ./agentd/memory/meaning
package meaning
