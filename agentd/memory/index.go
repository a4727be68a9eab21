package memory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"gatehouse/agentd/memory/recall"
)

// Refresh brings the index up to what stands in the files, and says how many it read. What cannot be read is left as it is in the
// index, and told with the others at the end.
func (b *Book) Refresh(ctx context.Context) (read int, err error) {
	known, err := b.index.Marks(ctx)
	if err != nil {
		return 0, err
	}
	files, faults, err := b.files(known)
	if err != nil {
		return 0, err
	}
	var left []string
	size := int64(0)
	for _, f := range files {
		if ctx.Err() != nil {
			return read, ctx.Err()
		}
		if size += f.size; f.size > maxFile || size > b.most {
			left, size = append(left, f.name), size-f.size
			continue
		}
		changed, err := b.refresh(ctx, f.name, known[f.name])
		if errors.Is(err, errMany) {
			left = append(left, f.name)
			continue
		}
		if changed {
			read++
		}
		faults = append(faults, err)
		delete(known, f.name)
	}
	for gone := range known { // or left out
		faults = append(faults, b.index.Put(ctx, gone, "", nil))
	}
	slices.Sort(left)
	b.left.Store(&left)
	return read, errors.Join(faults...)
}

// refresh puts one file into the index unless it is there as it is now.
func (b *Book) refresh(ctx context.Context, file, known string) (changed bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	mark, err := b.mark(file)
	if err != nil || mark == known {
		return false, err
	}
	text, err := b.read(file)
	if err != nil {
		return false, err
	}
	notes := parse(file, text)
	all, err := b.index.Texts(ctx)
	if err != nil {
		return false, err
	}
	if known == "" && all+len(notes) > mostNotes {
		return false, errMany
	}
	return true, b.put(ctx, file, mark, notes)
}

// again indexes a file although it is unchanged: something else that counts has changed.
func (b *Book) again(ctx context.Context, file string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	mark, err := b.mark(file)
	if err != nil {
		return err
	}
	text, err := b.read(file)
	if err != nil {
		return err
	}
	return b.put(ctx, file, mark, parse(file, text))
}

// mark tells one state of a file from another; empty when it is gone.
func (b *Book) mark(file string) (string, error) {
	info, err := b.root.Stat(file)
	if errors.Is(err, os.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look at memory: %w", err)
	}
	return fmt.Sprintf("%d-%d", info.ModTime().UnixNano(), info.Size()), nil
}

// aside is the group of notes that are put aside: no agent searches it.
func aside(of string) string { return "!" + of }

// put makes the index hold the notes of a file.
func (b *Book) put(ctx context.Context, file, mark string, notes []Note) error {
	held, err := b.heldBy(ctx)
	if err != nil {
		return err
	}
	texts := make([]recall.Text, len(notes))
	for i, n := range notes {
		n, err := b.judged(ctx, n, held)
		if err != nil {
			return err
		}
		about, err := json.Marshal(n.About)
		if err != nil {
			return fmt.Errorf("index memory: %w", err)
		}
		texts[i] = recall.Text{
			ID: n.ID, Group: n.Of, File: file, Line: n.Line, Text: n.Text, Day: n.Day, Trust: n.Trust(), Clean: n.Clean(),
			Kind: string(n.From), Extra: about,
		}
		if n.Held != "" {
			texts[i].Group = aside(n.Of)
		}
	}
	if err := b.index.Put(ctx, file, mark, texts); err != nil {
		return err
	}
	b.tell()
	return nil
}

// judged is a note as it counts: the owner's word only when it is signed for, and put aside when it was, or when nobody vouches for a
// text that reads like an instruction.
func (b *Book) judged(ctx context.Context, n Note, aside func(n Note, signed bool) string) (Note, error) {
	signed := false
	if (n.From == Owner || n.Core) && b.vouched != nil {
		var err error
		if signed, err = b.vouched(ctx, n); err != nil {
			return n, err
		}
	}
	if !signed && (n.From == Owner || n.Core) {
		n.From, n.Core, n.Sign = File, false, ""
	}
	if n.Held == "" {
		n.Held = aside(n, signed)
	}
	if n.Held == "" && !signed && b.odd != nil {
		n.Held = b.odd(n.Text)
	}
	return n, nil
}

// heldBy says of notes why they were put aside, beside what their files say.
func (b *Book) heldBy(ctx context.Context) (func(n Note, signed bool) string, error) {
	if b.aside == nil {
		return func(Note, bool) string { return "" }, nil
	}
	return b.aside.Held(ctx)
}

// noteOf is a note as the index has it.
func noteOf(t recall.Text) (Note, error) {
	n := Note{ID: t.ID, Of: ofFile(t.File), File: t.File, Line: t.Line, Text: t.Text, Day: t.Day}
	if err := json.Unmarshal(t.Extra, &n.About); err != nil {
		return Note{}, fmt.Errorf("note %s in the index of memory: %w", t.ID, err)
	}
	return n, nil
}

// Hit is a note with how well it fits, 0 to 1.
type Hit struct {
	Note
	Score float64
}

// Question is what is looked for.
type Question struct {
	Text  string
	Of    []string // whose notes; none: all
	Held  bool     // those that are put aside instead
	Clean bool     // nothing from outside
	From  Origin   // empty: all
	Limit int
}

// Find answers with the notes that fit best.
func (b *Book) Find(ctx context.Context, q Question) ([]Hit, error) {
	ask := recall.Query{
		Text: q.Text, Groups: groups(q.Of, q.Held), Clean: q.Clean, Kind: string(q.From), Limit: q.Limit, Now: b.now(),
	}
	if m := b.meaning.Load(); m != nil {
		ask.Means, ask.In = (*m).Ask(ctx, q.Text)
	}
	found, err := b.index.Find(ctx, ask)
	if err != nil {
		return nil, err
	}
	hits := make([]Hit, len(found))
	for i, f := range found {
		n, err := noteOf(f.Text)
		if err != nil {
			return nil, err
		}
		hits[i] = Hit{Note: n, Score: f.Score}
	}
	return hits, nil
}

// Shelf is which notes to list.
type Shelf struct {
	Of    []string // whose
	From  Origin   // empty: all
	Held  bool     // those that are put aside instead
	After string   // the id of the last note of the page before
	Limit int
}

// List answers with a page of notes: those that last, then the newest day first.
func (b *Book) List(ctx context.Context, s Shelf) ([]Note, error) {
	texts, err := b.index.List(ctx, recall.List{Groups: groups(s.Of, s.Held), Kind: string(s.From), After: s.After, Limit: s.Limit})
	if err != nil {
		return nil, err
	}
	notes := make([]Note, len(texts))
	for i, t := range texts {
		if notes[i], err = noteOf(t); err != nil {
			return nil, err
		}
	}
	return notes, nil
}

// Held counts the notes of some that are put aside.
func (b *Book) Held(ctx context.Context, of []string) (int, error) {
	return b.index.Count(ctx, groups(of, true))
}

// groups are those of the index in which the notes of some stand.
func groups(of []string, held bool) []string {
	if !held {
		return of
	}
	all := make([]string, len(of))
	for i, o := range of {
		all[i] = aside(o)
	}
	return all
}

// today is the day that a note written now belongs to, in the zone of the business.
func today(now time.Time, zone *time.Location) time.Time {
	y, m, d := now.In(zone).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
}
