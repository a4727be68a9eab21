package notes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/memory"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/tool"
)

const (
	most    = 8 // hits that the model reads
	timeout = 10 * time.Second
)

// Search is the tool memory_search.
type Search struct{ book *memory.Book }

// NewSearch makes the tool.
func NewSearch(b *memory.Book) *Search { return &Search{book: b} }

// Definition says what the model sees.
func (s *Search) Definition() tool.Definition {
	return tool.Definition{
		Name: "memory_search", Doc: "Search what you and the team have written down. Look here before you say that you do not know.",
		Args: tool.SchemaOf[policy.MemorySearchArgs](), Idempotent: true, Timeout: timeout,
	}
}

// Classify is green: it only reads.
func (s *Search) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("memory_search", args, policy.Env{})
}

// Run searches.
func (s *Search) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := tool.Parse[policy.MemorySearchArgs](args)
	if err != nil {
		return tool.Result{}, fmt.Errorf("memory_search: %w", err)
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("memory_search: %w", err)
	}
	hits, err := s.book.Find(ctx, memory.Question{Text: in.Query, Of: readable(p.Agent()), Limit: most})
	if err != nil {
		return tool.Result{}, fmt.Errorf("memory_search: %w", err)
	}
	found := make([]memory.Note, len(hits))
	for i, h := range hits {
		found[i] = h.Note
	}
	return result(found, tool.Count(int64(len(found)), "note", "notes")+" found"), nil
}

// readable are the folders that an agent reads.
func readable(agent string) []string { return []string{agent, memory.Shared} }

// result is what the model reads of notes; it counts as content from outside when one of them does.
func result(found []memory.Note, summary string) tool.Result {
	r := tool.Result{Summary: summary, Text: "There is no note about that."}
	lines := make([]string, len(found))
	for i, n := range found {
		lines[i] = n.String()
	}
	if len(lines) > 0 {
		r.Text = strings.Join(lines, "\n")
	}
	if slices.ContainsFunc(found, func(n memory.Note) bool { return !n.Clean() }) {
		r.Meta = map[string]any{gate.MetaOutside: true, gate.MetaSource: "memory"}
	}
	return r
}

// Get is the tool memory_get.
type Get struct{ book *memory.Book }

// NewGet makes the tool.
func NewGet(b *memory.Book) *Get { return &Get{book: b} }

// Definition says what the model sees.
func (g *Get) Definition() tool.Definition {
	return tool.Definition{
		Name: "memory_get", Doc: "Read one note with where it comes from, by the id that memory_search gave.",
		Args: tool.SchemaOf[policy.MemoryGetArgs](), Idempotent: true, Timeout: timeout,
	}
}

// Classify is green: it only reads.
func (g *Get) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("memory_get", args, policy.Env{})
}

// Run reads the note. One of another agent, or one that was put aside, is as unknown as one that never was.
func (g *Get) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := tool.Parse[policy.MemoryGetArgs](args)
	if err != nil {
		return tool.Result{}, fmt.Errorf("memory_get: %w", err)
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("memory_get: %w", err)
	}
	n, err := g.book.Get(ctx, in.ID)
	if errors.Is(err, memory.ErrUnknown) || err == nil && (n.Held != "" || !slices.Contains(readable(p.Agent()), n.Of)) {
		return tool.Result{}, fmt.Errorf("memory_get: %w", tool.Refuse("There is no note with this id."))
	}
	if err != nil {
		return tool.Result{}, fmt.Errorf("memory_get: %w", err)
	}
	return result([]memory.Note{n}, "Read a note"), nil
}
