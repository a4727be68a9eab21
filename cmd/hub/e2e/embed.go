package e2e

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"slices"
	"strings"
)

// Embeddings is the model that turns texts into vectors, at the same endpoint.
const Embeddings = "vectors"

// dims is how many numbers its vectors have.
const dims = 64

// synonyms are words that mean the same to it as others.
var synonyms = map[string]string{"outstanding": "owes", "bill": "invoice"}

// embed answers a request for vectors: each word of a text, or the one that means the same, points somewhere of its own.
func (m *Model) embed(w http.ResponseWriter, texts []string) {
	m.mu.Lock()
	status := m.vectors
	if status == 0 {
		m.embedded = append(m.embedded, texts...)
	}
	m.mu.Unlock()
	if status != 0 {
		http.Error(w, `{"error":{"message":"scripted"}}`, status)
		return
	}
	data := make([]map[string]any, len(texts))
	for i, text := range texts {
		v := make([]int, dims)
		for _, word := range strings.Fields(strings.ToLower(text)) {
			word = strings.Trim(word, ".,?")
			if other := synonyms[word]; other != "" {
				word = other
			}
			h := fnv.New64a()
			_, _ = h.Write([]byte(word)) // never fails
			for at := range v {
				v[at] += 2*int(h.Sum64()>>at&1) - 1
			}
		}
		v[0] += len(strings.Fields(text)) + 1 // no vector points nowhere
		data[i] = map[string]any{"object": "embedding", "index": i, "embedding": v}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{ // a caller that left is no fault of ours
		"object": "list", "data": data, "usage": map[string]int{"prompt_tokens": 7 * len(texts), "total_tokens": 7 * len(texts)},
	})
}

// Embedded says whether it was to turn a text into a vector.
func (m *Model) Embedded(text string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Contains(m.embedded, text)
}

// RefuseVectors has it answer requests for vectors with a status; 0: with vectors.
func (m *Model) RefuseVectors(status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.vectors = status
}
