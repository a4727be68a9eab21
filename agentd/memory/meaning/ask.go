package meaning

import (
	"context"
	"errors"

	"gatehouse/agentd/failpoint"
	"gatehouse/agentd/llm"
	"gatehouse/agentd/memory/recall"
	"gatehouse/agentd/redact"
)

// batch is how many notes are asked for at once.
const batch = 32

// some finds out what notes mean: from what is kept, and of the rest from the model. It says whose word that is.
func (k *Keeper) some(ctx context.Context, m Model, in recall.Space, notes []recall.Unmeant) (recall.Space, error) {
	known, lack, err := k.kept(ctx, in, notes)
	if err != nil {
		return in, err
	}
	if len(known) > 0 {
		if err := k.d.Notes.Mean(ctx, in, known); err != nil {
			return in, err
		}
	}
	for len(lack) > 0 {
		n := min(len(lack), k.size)
		now, err := k.ask(ctx, m, in, lack[:n])
		if declined(err) {
			if _, down := k.embed(ctx, m, k.d.Long, probe); down != nil {
				return in, err
			}
			if n == 1 {
				k.refused[recall.Hash(lack[0].Text)] = true
				lack = lack[1:]
			}
			k.size = max(n/2, 1)
			continue
		}
		if err != nil || now != in {
			return now, err
		}
		lack = lack[n:]
	}
	return in, nil
}

// declined says that the model has understood a request and does not take it: one text of it may be to blame, or their number.
func declined(err error) bool {
	var no *llm.Error
	return errors.As(err, &no) && (no.Kind == llm.Rejected || no.Kind == llm.Context)
}

// ask asks the model what notes mean, and keeps that.
func (k *Keeper) ask(ctx context.Context, m Model, in recall.Space, notes []recall.Unmeant) (recall.Space, error) {
	texts := make([]string, len(notes))
	for i, n := range notes {
		texts[i] = redact.Clip(n.Text, longest)
	}
	v, err := k.embed(ctx, m, k.d.Long, texts)
	if err != nil {
		return in, err
	}
	failpoint.Hit("memory.meaning.answered")
	now := space(m, v)
	if err := k.enter(ctx, in, now); err != nil {
		return in, err
	}
	all := make([]recall.Meant, len(notes))
	for i, n := range notes {
		all[i] = recall.Meant{Row: n.Row, Hash: recall.Hash(n.Text), Meaning: recall.Condense(v.All[i])}
	}
	if err := k.keep(ctx, now, all); err != nil {
		return in, err
	}
	failpoint.Hit("memory.meaning.kept")
	return now, k.d.Notes.Mean(ctx, now, all)
}

// space says whose word an answer is.
func space(m Model, v llm.Vectors) recall.Space {
	return recall.Space{Provider: v.Provider, Model: m.Name, Dims: len(v.All[0])}
}
