package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"
)

// maxKept is how many queries a Reader keeps parsed; the rest is parsed each time.
const maxKept = 128

// Reader asks the state as the last durable Write left it; many may ask at once. What it was asked before is not parsed
// again.
type Reader struct {
	pool *sql.DB

	mu   sync.RWMutex
	kept map[string]*sql.Stmt
}

func newReader(pool *sql.DB) *Reader { return &Reader{pool: pool, kept: map[string]*sql.Stmt{}} }

// QueryContext is that of sql.DB.
func (r *Reader) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	if s := r.parsed(query); s != nil {
		return s.QueryContext(ctx, args...)
	}
	return r.pool.QueryContext(ctx, query, args...)
}

// QueryRowContext is that of sql.DB.
func (r *Reader) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	if s := r.parsed(query); s != nil {
		return s.QueryRowContext(ctx, args...)
	}
	return r.pool.QueryRowContext(ctx, query, args...)
}

// Begin opens a view of one moment: everything that is read through it belongs together. End it with Rollback.
func (r *Reader) Begin(ctx context.Context) (*sql.Tx, error) {
	return r.pool.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
}

// parsed gives the query as it was parsed before; nil when there is no room, or when asking will say what is wrong.
func (r *Reader) parsed(query string) *sql.Stmt {
	r.mu.RLock()
	s, full := r.kept[query], len(r.kept) >= maxKept
	r.mu.RUnlock()
	if s != nil || full {
		return s
	}
	made, err := r.pool.PrepareContext(context.Background(), query)
	if err != nil {
		return nil
	}
	return r.keep(query, made)
}

func (r *Reader) keep(query string, made *sql.Stmt) *sql.Stmt {
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := r.kept[query]; s != nil { // another reader was first
		_ = made.Close() // parsed for nothing; closing frees it, and there is nobody to tell
		return s
	}
	r.kept[query] = made
	return made
}

// Close ends the reader.
func (r *Reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	errs := make([]error, 0, len(r.kept)+1)
	for _, s := range r.kept {
		errs = append(errs, s.Close())
	}
	r.kept = nil
	return errors.Join(append(errs, r.pool.Close())...)
}
