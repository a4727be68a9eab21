package memory

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gatehouse/agentd/memory/recall"
)

// Errors about a change, with words for people.
var (
	ErrEmpty = errors.New("there is nothing to remember in an empty text")
	ErrLong  = fmt.Errorf("a note is at most %d characters long", MaxText)
	ErrPart  = errors.New("this note is part of a longer paragraph in its file; change it in the file")
)

// Checked is a note with its text as it would stand in a file, or ErrEmpty or ErrLong.
func Checked(n Note) (Note, error) {
	n.Text = plain(n.Text)
	switch {
	case n.Text == "":
		return Note{}, ErrEmpty
	case utf8.RuneCountInString(n.Text) > MaxText:
		return Note{}, ErrLong
	}
	return n, nil
}

// Write adds a note: what lasts to MEMORY.md of its folder, else to the file of the day in zone. Writing the note of an id that is
// there already changes nothing and answers with what is there.
func (b *Book) Write(ctx context.Context, n Note, lasts bool, zone *time.Location) (Note, error) {
	n, err := Checked(n)
	if err != nil {
		return Note{}, err
	}
	n.At = b.now().UTC().Truncate(time.Second)
	n.File = path.Join(n.Of, Lasting)
	if !lasts {
		n.Day = today(n.At, zone)
		n.File = path.Join(n.Of, "memory", n.Day.Format(time.DateOnly)+".md")
	}
	return b.change(ctx, n.File, n.ID, func(lines []string, old *Note) ([]string, error) {
		if old != nil {
			return lines, nil
		}
		line, err := n.line()
		if len(lines) > 0 && lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1] // a file ends with a line break, not with an empty line
		}
		return append(lines, line, ""), err
	})
}

// Get is one note, or ErrUnknown.
func (b *Book) Get(ctx context.Context, id string) (Note, error) {
	t, err := b.index.Get(ctx, id)
	if errors.Is(err, recall.ErrUnknown) {
		return Note{}, ErrUnknown
	}
	if err != nil {
		return Note{}, err
	}
	return noteOf(t)
}

// Change lets edit change a note in its file: its text and what is known about it.
func (b *Book) Change(ctx context.Context, id string, edit func(*Note) error) (Note, error) {
	n, err := b.Get(ctx, id)
	if err != nil {
		return Note{}, err
	}
	return b.change(ctx, n.File, id, func(lines []string, old *Note) ([]string, error) {
		if old == nil {
			return nil, ErrUnknown
		}
		if old.pieces > 1 {
			return nil, ErrPart
		}
		fresh := *old
		if err := edit(&fresh); err != nil {
			return nil, err
		}
		if fresh, err = Checked(fresh); err != nil {
			return nil, err
		}
		line, err := fresh.line()
		return slices.Replace(lines, old.Line-1, old.last, line), err
	})
}

// Remove takes a note out of its file, once allow has nothing against it.
func (b *Book) Remove(ctx context.Context, id string, allow func(Note) error) error {
	n, err := b.Get(ctx, id)
	if err != nil {
		return err
	}
	_, err = b.change(ctx, n.File, id, func(lines []string, old *Note) ([]string, error) {
		if old == nil {
			return nil, ErrUnknown
		}
		if old.pieces > 1 {
			return nil, ErrPart
		}
		return slices.Delete(lines, old.Line-1, old.last), allow(*old)
	})
	return err
}

// change lets edit change the lines of a file, given the note of an id as it counts, as far as it is there, and indexes what came
// of it. It answers with the note as it stands then.
func (b *Book) change(ctx context.Context, file, id string, edit func(lines []string, old *Note) ([]string, error)) (Note, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, err := b.read(file)
	if err != nil {
		return Note{}, err
	}
	var lines []string
	if text != "" {
		lines = strings.Split(text, "\n")
	}
	old := noteIn(parse(file, text), id)
	held, err := b.heldBy(ctx)
	if err != nil {
		return Note{}, err
	}
	if old != nil {
		if *old, err = b.judged(ctx, *old, held); err != nil {
			return Note{}, err
		}
	}
	if lines, err = edit(lines, old); err != nil {
		return Note{}, err
	}
	if fresh := strings.Join(lines, "\n"); fresh != text {
		if err := b.replace(file, fresh); err != nil {
			return Note{}, err
		}
		text = fresh
	}
	mark, err := b.mark(file)
	if err != nil {
		return Note{}, err
	}
	notes := parse(file, text)
	// What stands in the file is done, whoever waited for it.
	if err := b.put(context.WithoutCancel(ctx), file, mark, notes); err != nil {
		return Note{}, err
	}
	if n := noteIn(notes, id); n != nil {
		if held, err = b.heldBy(context.WithoutCancel(ctx)); err != nil {
			return Note{}, err
		}
		return b.judged(context.WithoutCancel(ctx), *n, held)
	}
	return Note{}, nil
}

func noteIn(notes []Note, id string) *Note {
	at := slices.IndexFunc(notes, func(n Note) bool { return n.ID == id })
	if at < 0 {
		return nil
	}
	return &notes[at]
}
