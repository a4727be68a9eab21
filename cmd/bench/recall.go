package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gatehouse/agentd/memory"
	"gatehouse/agentd/memory/labelled"
	"gatehouse/agentd/memory/recall"
)

func memorySearch() Figure {
	return Figure{
		Name: "memory_search_p95_ms", Unit: "ms", Goal: 20, Once: true, Take: takeSearches,
		How: "one search after another, p95, among 50,000 notes that the agent may read, in this process",
	}
}

func memoryLag() Figure {
	return Figure{
		Name: "memory_index_lag_ms", Unit: "ms", Goal: 1000, Once: true, Take: takeLag,
		How: "from the end of a change of a file until a search finds it, p95, beside 50,000 notes, in this process",
	}
}

// copies is how often the 2,000 labelled notes stand in memory, each time with a few other words.
const copies = 25

// shelf is the memory of one agent.
type shelf struct {
	*memory.Book
	dir string
	set labelled.Set
}

func (s *shelf) close() error { return errors.Join(s.Close(), os.RemoveAll(s.dir)) }

// openShelf fills a memory: a file for each day, some of the agent's and some that the team shares.
func openShelf(ctx context.Context, s *Stage) (_ *shelf, err error) {
	dir, err := os.MkdirTemp(s.dir, "memory-")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(dir))
		}
	}()
	set, err := labelled.Load()
	if err != nil {
		return nil, err
	}
	n := copies
	if s.bench.quick {
		n = 1
	}
	for file, lines := range daily(set, n) {
		full := filepath.Join(dir, "files", file)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(full, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			return nil, err
		}
	}
	book, err := memory.Open(ctx, memory.Deps{
		Dir: filepath.Join(dir, "files"), Index: filepath.Join(dir, "memory.db"), Log: slog.New(slog.DiscardHandler),
		Now: func() time.Time { return labelled.End },
	})
	if err != nil {
		return nil, err
	}
	if _, err := book.Refresh(ctx); err != nil {
		return nil, errors.Join(err, book.Close())
	}
	return &shelf{book, dir, set}, nil
}

// daily are the lines of each file.
func daily(set labelled.Set, n int) map[string][]string {
	files := map[string][]string{}
	for copied := range n {
		of := []string{"secretary", memory.Shared}[copied%2]
		for i, note := range set.Notes {
			other := strings.Fields(set.Notes[(i*7+copied*131)%len(set.Notes)].Text)
			file := of + "/memory/" + note.Day.Format(time.DateOnly) + ".md"
			files[file] = append(files[file], strings.TrimSpace("- "+note.Text+" "+strings.Join(other[:copied%8], " ")))
		}
	}
	return files
}

var searched = []string{"secretary", memory.Shared}

// takeSearches asks every labelled question, and says how well the labelled notes alone are found.
func takeSearches(ctx context.Context, s *Stage) (run Run, err error) {
	m, err := openShelf(ctx, s)
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	var took []time.Duration
	for _, q := range m.set.Questions {
		begun := time.Now()
		if _, err := m.Find(ctx, memory.Question{Text: q.Text, Of: searched, Limit: 8}); err != nil {
			return Run{}, err
		}
		took = append(took, time.Since(begun))
	}
	note, err := quality(ctx, m)
	return Run{Value: percentile(took, 95), N: len(took), Note: fmt.Sprintf("p50 %.1f; %s", percentile(took, 50), note)}, err
}

// quality says in how many of a hundred labelled questions the note is among the first five, by each way to look.
func quality(ctx context.Context, m *shelf) (note string, err error) {
	x, err := recall.Open(ctx, filepath.Join(m.dir, "labelled.db"))
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	texts := make([]recall.Text, len(m.set.Notes))
	for i, n := range m.set.Notes {
		texts[i] = recall.Text{ID: n.ID, Group: "secretary", File: "notes", Line: i + 1, Text: n.Text, Day: n.Day, Trust: 60, Clean: true}
	}
	if err := x.Put(ctx, "notes", "1", texts); err != nil {
		return "", err
	}
	said := []string{}
	for _, way := range []struct {
		name string
		by   recall.Way
	}{{"lexical", recall.Lexical}, {"hashed", recall.Vectors}, {"fused", recall.Fused}} {
		share, err := m.set.Share(1, func(text string) (ids []string, err error) {
			hits, err := x.Find(ctx, recall.Query{Text: text, Limit: 5, Now: labelled.End, By: way.by})
			for _, h := range hits {
				ids = append(ids, h.ID)
			}
			return ids, err
		})
		if err != nil {
			return "", err
		}
		said = append(said, fmt.Sprintf("%s %.1f %%", way.name, share["all"]))
	}
	return fmt.Sprintf("recall@5 of %d labelled questions: %s", len(m.set.Questions), strings.Join(said, ", ")), nil
}

// takeLag changes files, one after the other, as somebody does who edits them.
func takeLag(ctx context.Context, s *Stage) (run Run, err error) {
	m, err := openShelf(ctx, s)
	if err != nil {
		return Run{}, err
	}
	defer func() { err = errors.Join(err, m.close()) }()
	ctx, stop := context.WithCancel(ctx)
	watched := make(chan error, 1)
	go func() { watched <- m.Run(ctx) }()
	defer func() {
		stop()
		err = errors.Join(err, <-watched)
	}()
	files := slices.Sorted(func(yield func(string) bool) {
		for file := range daily(m.set, 1) {
			if !yield(file) {
				return
			}
		}
	})
	n := 20
	if s.bench.quick {
		n = 2
	}
	var took []time.Duration
	for i := range n {
		lag, err := m.lag(ctx, files[i*len(files)/n], fmt.Sprintf("Walzwerk%04d", i))
		if err != nil {
			return Run{}, err
		}
		took = append(took, lag)
	}
	return Run{Value: percentile(took, 95), N: n, Note: fmt.Sprintf("p50 %.0f", percentile(took, 50))}, nil
}

// lag adds a note that holds a word to a file, and waits until it is found.
func (s *shelf) lag(ctx context.Context, file, word string) (time.Duration, error) {
	f, err := os.OpenFile(filepath.Join(s.dir, "files", file), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	_, err = fmt.Fprintf(f, "- The new supplier is called %s.\n", word)
	if err := errors.Join(err, f.Close()); err != nil {
		return 0, err
	}
	begun := time.Now()
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	for time.Since(begun) < time.Minute {
		hits, err := s.Find(ctx, memory.Question{Text: word, Of: searched, Limit: 1})
		if err != nil {
			return 0, err
		}
		if len(hits) > 0 && strings.Contains(hits[0].Text, word) {
			return time.Since(begun), nil
		}
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-look.C:
		}
	}
	return 0, fmt.Errorf("what was added to %s is not found within a minute", file)
}
