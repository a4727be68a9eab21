package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/openai/openai-go/v3/option"

	"gatehouse/agentd/llm"
)

// embedding is the body of a request for vectors. What an endpoint does without more words, it is not asked for.
type embedding struct {
	Model string   `json:"model"`
	Input []string `json:"input"`
}

// embedded is the part of its answer that counts.
type embedded struct {
	Data []struct {
		Index  int       `json:"index"`
		Vector []float32 `json:"embedding"`
	} `json:"data"`
}

// maxLength is how many numbers a vector has at most.
const maxLength = 1 << 14

// Embed asks the endpoint to turn texts into vectors.
func (p *Provider) Embed(ctx context.Context, t llm.Texts) (llm.Vectors, error) {
	body, err := json.Marshal(embedding{p.model, t.All()})
	if err != nil {
		return llm.Vectors{}, fmt.Errorf("ask for vectors: %w", err)
	}
	ctx, w := watch(ctx, p.limits)
	w.whole = true
	defer w.stop()
	var opts []option.RequestOption
	if p.agent != "" && t.Agent() != "" {
		opts = append(opts, option.WithHeader(p.agent, t.Agent()))
	}
	var res *http.Response
	if err := p.client.Post(ctx, "embeddings", body, &res, opts...); err != nil {
		return llm.Vectors{}, failure(ctx, err)
	}
	defer func() { _ = res.Body.Close() }() // it was read to its end, or given up
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxEvent))
	if err != nil {
		return llm.Vectors{}, failure(ctx, err)
	}
	v := llm.Vectors{Provider: p.host}
	if p.provider != "" {
		v.Provider = cmp.Or(res.Header.Get(p.provider), v.Provider)
	}
	v.All, err = vectors(raw, len(t.All()))
	return v, err
}

// vectors reads an answer: one vector for each text, whatever their order, all of one length.
func vectors(raw []byte, texts int) ([][]float32, error) {
	var in embedded
	if err := json.Unmarshal(raw, &in); err != nil {
		return nil, &llm.Error{Kind: llm.BadResponse, Detail: "the vectors cannot be read", Err: err}
	}
	if len(in.Data) != texts {
		return nil, &llm.Error{Kind: llm.BadResponse, Detail: fmt.Sprintf("%d vectors came for %d texts", len(in.Data), texts)}
	}
	all := make([][]float32, texts)
	for _, d := range in.Data {
		if d.Index < 0 || d.Index >= texts || all[d.Index] != nil {
			return nil, &llm.Error{Kind: llm.BadResponse, Detail: "the vectors do not say of which texts they are"}
		}
		if n := len(d.Vector); n == 0 || n > maxLength || n != len(in.Data[0].Vector) {
			return nil, &llm.Error{Kind: llm.BadResponse, Detail: "the vectors are not of one length"}
		}
		if zero(d.Vector) {
			return nil, &llm.Error{Kind: llm.BadResponse, Detail: "a vector points nowhere"}
		}
		all[d.Index] = d.Vector
	}
	return all, nil
}

func zero(v []float32) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}
