package main

import (
	"gatehouse/agentd/llm/scrub"
	"gatehouse/agentd/redact"
)

// inProcess is the engine for these secrets, and from now on the one of this process, too: what the model proxy writes
// to its log must be as free of them as what it passes on.
func inProcess(known []redact.Known) scrub.Engine {
	e := redact.New()
	e.SetSecrets(known)
	redact.Use(e)
	return e
}
