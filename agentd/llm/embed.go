package llm

import (
	"context"

	"gatehouse/agentd/redact"
)

// An Embedder is a model that turns texts into vectors: what means the same lies near to each other.
type Embedder interface {
	// Embed asks. It returns promptly after ctx ends, or with an *Error.
	Embed(ctx context.Context, t Texts) (Vectors, error)
}

// Texts are texts that have passed redaction, as an Outgoing has: only Embed makes them.
type Texts struct {
	agent string
	all   []string
}

// Agent is for whom is asked.
func (t Texts) Agent() string { return t.agent }

// All are the texts.
func (t Texts) All() []string { return t.all }

// Vectors are what texts became.
type Vectors struct {
	Provider string      // the endpoint that made them: those of another one cannot be compared with them
	All      [][]float32 // one for each text, in their order; all of one length, which is not 0
}

// Embed has e turn texts into vectors. The error is ctx's own when ctx ended, else an *Error.
func Embed(ctx context.Context, e Embedder, agent string, texts []string) (Vectors, error) {
	v, err := e.Embed(ctx, Texts{agent: agent, all: redact.Texts(texts)})
	if err != nil {
		return Vectors{}, told(ctx, err)
	}
	return v, nil
}
