package notes

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"gatehouse/agentd/gate"
	"gatehouse/agentd/memory"
	"gatehouse/agentd/policy"
	"gatehouse/agentd/redact"
	"gatehouse/agentd/tool"
)

// Write is the tool memory_write.
type Write struct {
	book *memory.Book
	zone func() *time.Location
}

// NewWrite makes the tool. zone is that of the business.
func NewWrite(b *memory.Book, zone func() *time.Location) *Write { return &Write{book: b, zone: zone} }

// Definition says what the model sees.
func (w *Write) Definition() tool.Definition {
	return tool.Definition{
		Name: "memory_write",
		Doc: "Remember one thing beyond this conversation: what the owner tells you to remember, a decision, a preference, a figure. " +
			"Not what stands in a file anyway.",
		Args: tool.SchemaOf[policy.MemoryWriteArgs](), Idempotent: true, Timeout: timeout,
	}
}

// Classify is yellow: later conversations read it.
func (w *Write) Classify(args json.RawMessage) policy.Class {
	return policy.Classify("memory_write", args, policy.Env{})
}

// Run writes the note under the id of the call, so that a repeat writes nothing.
func (w *Write) Run(ctx context.Context, p gate.Permit, args json.RawMessage) (tool.Result, error) {
	in, err := tool.Parse[policy.MemoryWriteArgs](args)
	if err != nil {
		return tool.Result{}, fmt.Errorf("memory_write: %w", err)
	}
	if err := p.Redeem(args); err != nil {
		return tool.Result{}, fmt.Errorf("memory_write: %w", err)
	}
	n := memory.Note{ID: p.CallID(), Of: p.Agent(), Text: redact.Text(in.Text), About: memory.About{From: memory.Agent, Run: p.RunID()}}
	if in.Kind == policy.NoteOfTeam {
		n.Of, n.By = memory.Shared, p.Agent()
	}
	if p.Tainted() {
		n.From = memory.Outside
	}
	n, err = w.book.Write(ctx, n, in.Kind != policy.NoteOfDay, w.zone())
	if errors.Is(err, memory.ErrEmpty) || errors.Is(err, memory.ErrLong) {
		return tool.Result{}, fmt.Errorf("memory_write: %w", tool.Refuse("Nothing was written: %s.", err.Error()))
	}
	if err != nil {
		return tool.Result{}, fmt.Errorf("memory_write: %w", err)
	}
	r := tool.Result{
		Text: "Remembered: " + n.String(), Summary: "Remembered a note",
		Effects: []tool.Effect{{Kind: "written", Target: n.File, Count: 1}},
	}
	if n.Held != "" {
		r.Text, r.Summary = "Written, and put aside until the owner has looked at it: "+n.Held, "Put a note aside for the owner"
	}
	return r, nil
}
