package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"gatehouse/agentd/memory"
	"gatehouse/agentd/memory/recall"
)

func meantSearch() Figure {
	return Figure{
		Name: "memory_search_meant_p95_ms", Unit: "ms", Goal: 20, Once: true, Take: takeMeantSearches,
		How: "one search after another, p95, among 50,000 notes with the vectors of a model that answers at once, in this process",
	}
}

// wordModel stands in for a model that knows what texts mean: a vector for each word, and for a text the sum of its words'.
type wordModel struct{}

// meantIn is by whose word these vectors are.
var meantIn = recall.Space{Provider: "bench", Model: "words", Dims: 128}

func (wordModel) numbers(text string) []float32 {
	all := make([]float32, meantIn.Dims)
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		h := fnv.New64a()
		_, _ = h.Write([]byte(word)) // never fails
		seed := h.Sum64()
		for i := range all {
			seed ^= seed << 13
			seed ^= seed >> 7
			seed ^= seed << 17
			all[i] += float32(int8(seed)) //nolint:gosec // any eight of its bits do
		}
	}
	return all
}

// Ask implements memory.Meaning.
func (m wordModel) Ask(_ context.Context, text string) (*recall.Meaning, recall.Space) {
	means := recall.Condense(m.numbers(text))
	return &means, meantIn
}

// mean has the index know what all notes mean.
func (s *shelf) mean(ctx context.Context, m wordModel) (notes int, err error) {
	for behind := int64(0); ; {
		some, next, err := s.Unmeant(ctx, behind, 2000)
		if err != nil || next == 0 {
			return notes, err
		}
		meant := make([]recall.Meant, 0, len(some))
		for _, u := range some {
			meant = append(meant, recall.Meant{Row: u.Row, Hash: recall.Hash(u.Text), Meaning: recall.Condense(m.numbers(u.Text))})
		}
		if err := s.Mean(ctx, meantIn, meant); err != nil {
			return notes, err
		}
		behind, notes = next, notes+len(meant)
	}
}

// takeMeantSearches asks every labelled question.
func takeMeantSearches(ctx context.Context, s *Stage) (run Run, err error) {
	m, err := openShelf(ctx, s)
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	notes, err := m.mean(ctx, wordModel{})
	if err != nil {
		return Run{}, err
	}
	m.Means(wordModel{})
	var took []time.Duration
	for _, q := range m.set.Questions {
		begun := time.Now()
		if _, err := m.Find(ctx, memory.Question{Text: q.Text, Of: searched, Limit: 8}); err != nil {
			return Run{}, err
		}
		took = append(took, time.Since(begun))
	}
	note := fmt.Sprintf("p50 %.1f; %d notes with a vector", percentile(took, 50), notes)
	return Run{Value: percentile(took, 95), N: len(took), Note: note}, nil
}
