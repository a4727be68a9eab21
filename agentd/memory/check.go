package memory

import (
	"context"
	"errors"
	"fmt"

	"gatehouse/agentd/memory/recall"
)

// Why notes are put aside that were not when they were written.
const (
	FromFlagged = "It was noted in a run that had read something suspicious."
	AgainstCore = "It says something else than what you stated yourself."
)

// Aside keeps what is put aside outside the files, so that whoever edits one takes nothing back.
type Aside interface {
	// Held reads all that is put aside; the answer says of a note why it is, or nothing. One that the owner has signed for is put
	// aside by itself alone, never because another says the same.
	Held(ctx context.Context) (why func(n Note, signed bool) string, err error)
	// Hold puts a note aside.
	Hold(ctx context.Context, n Note, why string) error
}

// look is how many notes are looked at together.
const look = 200

// Check looks through everything that is remembered and that the owner has not signed for, and puts aside what reads like an
// instruction, what was noted in a run that had read something suspicious, and what says something else than a core note. It says
// how many notes it put aside.
func (b *Book) Check(ctx context.Context) (held int, err error) {
	if _, err := b.Refresh(ctx); err != nil {
		return 0, err
	}
	c := check{b: b, ctx: ctx, files: map[string]bool{}, held: map[string]bool{}}
	err = errors.Join(c.each(c.alone), c.each(c.beside))
	for file := range c.files {
		err = errors.Join(err, b.again(ctx, file))
	}
	return len(c.held), err
}

type check struct {
	b     *Book
	ctx   context.Context
	files map[string]bool // in which a note was put aside
	held  map[string]bool // by id
}

// each lets one see every note that is not put aside.
func (c *check) each(see func(Note) error) error {
	after := ""
	for c.ctx.Err() == nil {
		texts, err := c.b.index.List(c.ctx, recall.List{After: after, Limit: look})
		if err != nil {
			return err
		}
		for _, t := range texts {
			n, err := noteOf(t)
			if err == nil && n.Held == "" {
				err = see(n)
			}
			if err != nil {
				return err
			}
			after = t.ID
		}
		if len(texts) < look {
			return nil
		}
	}
	return c.ctx.Err()
}

// alone looks at a note by itself.
func (c *check) alone(n Note) error {
	if n.From == Owner {
		return nil
	}
	if c.b.odd != nil {
		if why := c.b.odd(n.Text); why != "" {
			return c.hold(n, why)
		}
	}
	if n.Run == "" || c.b.flagged == nil {
		return nil
	}
	flagged, err := c.b.flagged(c.ctx, n.Run)
	if err == nil && flagged {
		err = c.hold(n, FromFlagged)
	}
	return err
}

// beside looks at what stands beside a core note: the notes that its readers find about the same thing.
func (c *check) beside(core Note) error {
	if !core.Core {
		return nil
	}
	var of []string // a note of the whole team counts for everybody's
	if core.Of != Shared {
		of = []string{core.Of, Shared}
	}
	hits, err := c.b.Find(c.ctx, Question{Text: core.Text, Of: of, Limit: look / 4})
	if err != nil {
		return err
	}
	for _, h := range hits {
		if h.From == Owner || h.Held != "" || !recall.Differs(core.Text, h.Text) {
			continue
		}
		if err := c.hold(h.Note, AgainstCore); err != nil {
			return err
		}
	}
	return nil
}

func (c *check) hold(n Note, why string) error {
	if c.b.aside == nil || c.held[n.ID] {
		return nil
	}
	if err := c.b.aside.Hold(c.ctx, n, why); err != nil {
		return fmt.Errorf("put a note aside: %w", err)
	}
	c.held[n.ID], c.files[n.File] = true, true
	return nil
}
