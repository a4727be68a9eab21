package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"time"

	"gatehouse/agentd/memory"
)

// sought is one line of input: what somebody wants to know.
type sought struct {
	ID json.RawMessage `json:"id"`
	Q  string          `json:"q"`
}

// recalled is one line of output: the notes that fit, the best first.
type recalled struct {
	ID    json.RawMessage `json:"id"`
	Hits  []noted         `json:"hits"`
	Error string          `json:"error,omitempty"`
}

// noted is where a note stands that fits, and how well it does, 0 to 1.
type noted struct {
	File  string  `json:"file"` // from the folder, with slashes
	Line  int     `json:"line"` // its first, from 1
	Score float64 `json:"score"`
}

// maxHits is how many notes one question can have.
const maxHits = 100

// checkMemory is "agentd check memory". It writes nothing into the folder.
func checkMemory(ctx context.Context, c *call) (err error) {
	dir := c.flags.String("dir", "", "folder of Markdown files to search")
	limit := c.flags.Int("limit", 5, fmt.Sprintf("most hits of one question, at most %d", maxHits))
	if err := c.parse(0); err != nil {
		return err
	}
	if *limit < 1 || *limit > maxHits {
		return fmt.Errorf("limit: a number from 1 to %d", maxHits)
	}
	if info, err := os.Stat(*dir); err != nil || !info.IsDir() {
		return fmt.Errorf("dir: %q is no folder", *dir)
	}
	temp, err := os.MkdirTemp("", "agentd-memory-")
	if err != nil {
		return fmt.Errorf("make room for the index: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(temp)) }()
	book, err := memory.Open(ctx, memory.Deps{
		Dir: *dir, Index: filepath.Join(temp, "memory.db"), Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, book.Close()) }()
	_, fault := book.Refresh(ctx)
	for _, file := range book.LeftOut() {
		fault = errors.Join(fault, fmt.Errorf("%s is left out: it is too large, or there is too much", file))
	}
	if fault != nil {
		if _, err := fmt.Fprintf(c.errOut, "not everything was read: %v\n", fault); err != nil {
			return fmt.Errorf("write: %w", err)
		}
	}
	return checkLines(ctx, c, func(line []byte) any { return recall(ctx, book, line, *limit) })
}

// recall answers one line. What is put aside is found as well: the folder is looked through as it is.
func recall(ctx context.Context, book *memory.Book, line []byte, limit int) recalled {
	var q sought
	err := readLine(line, &q, "q")
	out := recalled{ID: orNull(q.ID), Hits: []noted{}}
	var hits []memory.Hit
	if err == nil {
		hits, err = book.Find(ctx, memory.Question{Text: q.Q, Limit: limit})
	}
	if err != nil {
		out.Error = err.Error()
	}
	for _, h := range hits {
		out.Hits = append(out.Hits, noted{h.File, h.Line, math.Round(h.Score*1e4) / 1e4})
	}
	return out
}
