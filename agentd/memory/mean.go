package memory

import (
	"context"
	"crypto/sha256"
	"strings"

	"gatehouse/agentd/memory/recall"
)

// Meaning says what a question means.
type Meaning interface {
	// Ask gives what a text means and whose word that is, or nil when nobody can say so in a moment: the search does without.
	Ask(ctx context.Context, text string) (*recall.Meaning, recall.Space)
}

// Means has searches ask m what questions mean.
func (b *Book) Means(m Meaning) { b.meaning.Store(&m) }

// Changed gets something when there may be notes of which nobody knows what they mean.
func (b *Book) Changed() <-chan struct{} { return b.changed }

func (b *Book) tell() {
	select {
	case b.changed <- struct{}{}:
	default: // it holds one
	}
}

// Unmeant are notes of which the index does not know what they mean, and the row behind which the next ones stand. What is put aside
// is left out: it goes to no model. No row: there are no more.
func (b *Book) Unmeant(ctx context.Context, behind int64, limit int) (all []recall.Unmeant, next int64, err error) {
	found, err := b.index.Unmeant(ctx, behind, limit)
	if err != nil || len(found) == 0 {
		return nil, 0, err
	}
	for _, u := range found {
		if !strings.HasPrefix(u.Group, aside("")) {
			all = append(all, u)
		}
	}
	return all, found[len(found)-1].Row, nil
}

// Mean keeps what notes mean.
func (b *Book) Mean(ctx context.Context, in recall.Space, all []recall.Meant) error {
	return b.index.Mean(ctx, in, all)
}

// Forget drops what notes mean.
func (b *Book) Forget(ctx context.Context) error { return b.index.Forget(ctx) }

// In says by whose word the index knows what notes mean; none when it knows nothing.
func (b *Book) In(ctx context.Context) (recall.Space, error) { return b.index.In(ctx) }

// Known is of how many notes the index knows what they mean, and how many there are.
func (b *Book) Known(ctx context.Context) (known, all int, err error) {
	if known, err = b.index.Meanings(ctx); err != nil {
		return 0, 0, err
	}
	all, err = b.index.Texts(ctx)
	return known, all, err
}

// Hashes are those of the notes of which the index knows what they mean.
func (b *Book) Hashes(ctx context.Context) (map[[sha256.Size]byte]bool, error) {
	return b.index.Hashes(ctx)
}
