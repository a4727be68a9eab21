package meaning

import (
	"context"
	"errors"
	"sync"

	"gatehouse/agentd/llm"
	"gatehouse/agentd/memory/recall"
	"gatehouse/agentd/redact"
)

// longest is how much of a text the model gets, in bytes: a whole letter is no better question, and models take no book.
const longest = 4000

// Ask gives what a question means, or nil: the model is off, rests, has not said yet what notes mean, or did not answer in time.
func (k *Keeper) Ask(ctx context.Context, text string) (*recall.Meaning, recall.Space) {
	m := k.d.Model()
	if m.Name == "" || k.down() {
		return nil, recall.Space{}
	}
	in, err := k.d.Notes.In(ctx)
	if err != nil || in.Model != m.Name {
		return nil, recall.Space{}
	}
	text = redact.Clip(text, longest)
	if known := k.recent.get(in, text); known != nil {
		return known, in
	}
	v, err := k.embed(ctx, m, k.d.Wait, []string{text})
	if err != nil {
		k.unanswered(ctx, err)
		return nil, recall.Space{}
	}
	k.mu.Lock()
	k.late = 0
	now := space(m, v)
	if now != in {
		k.seen = now
	}
	k.mu.Unlock()
	if now != in {
		k.Wake()
		return nil, recall.Space{}
	}
	means := recall.Condense(v.All[0])
	k.recent.put(in, text, &means)
	return &means, in
}

// down says that the model is left alone. The loop tries it again.
func (k *Keeper) down() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !k.since.IsZero()
}

// unanswered counts a question that the model did not answer. One that ran out of time may be bad luck.
func (k *Keeper) unanswered(ctx context.Context, err error) {
	var no *llm.Error
	if ctx.Err() != nil || !errors.As(err, &no) || no.Kind == llm.Away {
		return // whoever asked has left, or this server's own way is down
	}
	if errors.Is(err, tooSlow) {
		k.mu.Lock()
		k.late++
		few := k.late < slow
		k.mu.Unlock()
		if few {
			return
		}
	}
	k.pause(ctx, no)
	k.Wake()
}

// recent are the questions that were asked last: pages and agents ask the same one often.
type recent struct {
	mu  sync.Mutex
	in  recall.Space
	all []asked
}

type asked struct {
	text  string
	means *recall.Meaning
}

const remembered = 64

func (r *recent) get(in recall.Space, text string) *recall.Meaning {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.in != in {
		return nil
	}
	for _, a := range r.all {
		if a.text == text {
			return a.means
		}
	}
	return nil
}

func (r *recent) put(in recall.Space, text string, means *recall.Meaning) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.in != in {
		r.in, r.all = in, nil
	}
	if len(r.all) == remembered {
		r.all = r.all[1:]
	}
	r.all = append(r.all, asked{text, means})
}
