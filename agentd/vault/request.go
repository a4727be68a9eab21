package vault

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"gatehouse/agentd/wire"
)

// The states of a request for a value.
const (
	Pending   = "pending"
	Provided  = "provided"
	Declined  = "declined"
	Withdrawn = "withdrawn"
	Expired   = "expired"
)

// askedFor is how long a call waits for a value.
const askedFor = 24 * time.Hour

// waiting wakes who waits for a value.
type waiting struct {
	mu sync.Mutex
	ch chan struct{}
}

// next gives a channel that is closed at the next change. Get it first, then look: so no change is missed.
func (w *waiting) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ch == nil {
		w.ch = make(chan struct{})
	}
	return w.ch
}

func (w *waiting) wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.ch != nil {
		close(w.ch)
		w.ch = nil
	}
}

// Ask puts a request on record, once for each call: a call that comes again after a restart gets the one it made.
func (v *Vault) Ask(ctx context.Context, r wire.SecretRequest) (wire.SecretRequest, error) {
	now := v.now().UTC()
	r.State, r.CreatedAt, r.ExpiresAt = Pending, now, now.Add(askedFor).Truncate(time.Second)
	body, err := json.Marshal(r)
	if err != nil {
		return r, fmt.Errorf("ask for secret: %w", err)
	}
	err = v.db.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(context.WithoutCancel(ctx), "INSERT INTO vault_requests (id, name, state, body, created_at) VALUES (?,?,?,?,?) ON CONFLICT DO NOTHING",
			r.ID, r.Name, r.State, string(body), now.UnixMicro())
		return err
	})
	if err != nil {
		return r, fmt.Errorf("ask for secret: %w", err)
	}
	return v.Request(ctx, r.ID)
}

// Request reads one.
func (v *Vault) Request(ctx context.Context, id string) (wire.SecretRequest, error) {
	all, err := v.requests(ctx, "id = ?", id)
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%w: no call waits as %.64q", ErrUnknown, id)
	}
	if err != nil {
		return wire.SecretRequest{}, err
	}
	return all[0], nil
}

// Requests lists the calls that wait.
func (v *Vault) Requests(ctx context.Context) ([]wire.SecretRequest, error) {
	return v.requests(ctx, "state = ?", Pending)
}

func (v *Vault) requests(ctx context.Context, where string, arg any) ([]wire.SecretRequest, error) {
	all := []wire.SecretRequest{}
	err := each(ctx, v.db.Read(), "SELECT state, body FROM vault_requests WHERE "+where+" ORDER BY created_at LIMIT 200", func(scan func(...any) error) error {
		var state, body string
		if err := scan(&state, &body); err != nil {
			return err
		}
		var r wire.SecretRequest
		if err := json.Unmarshal([]byte(body), &r); err != nil {
			return err
		}
		r.State = state
		all = append(all, r)
		return nil
	}, arg)
	return all, err
}

// Close answers a request with something else than a value: declined or withdrawn, once.
func (v *Vault) Close(ctx context.Context, id, state string, also ...Also) error {
	err := v.db.Write(ctx, func(tx *sql.Tx) error {
		res, err := tx.ExecContext(context.WithoutCancel(ctx), "UPDATE vault_requests SET state = ? WHERE id = ? AND state = ?", state, id, Pending)
		if err != nil {
			return fmt.Errorf("close request: %w", err)
		}
		if n, err := res.RowsAffected(); err != nil || n == 0 {
			return errors.Join(ErrAnswered, err)
		}
		for _, write := range also {
			if err := write(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		v.waiting.wake()
	}
	return err
}

// Await blocks until a request is answered, its time is over, or ctx ends: then the cause of that is the error, whatever
// it interrupted. It gives the state that the request then has.
func (v *Vault) Await(ctx context.Context, id string) (state string, err error) {
	defer func() {
		if err != nil && ctx.Err() != nil {
			err = context.Cause(ctx)
		}
	}()
	for {
		changed := v.waiting.next()
		r, err := v.Request(ctx, id)
		if err != nil || r.State != Pending {
			return r.State, err
		}
		left := r.ExpiresAt.Sub(v.now())
		if left <= 0 {
			if err := v.Close(ctx, id, Expired); err != nil && !errors.Is(err, ErrAnswered) {
				return "", err
			}
			continue
		}
		if err := wait(ctx, changed, min(left, time.Minute)); err != nil {
			return "", err
		}
	}
}

func wait(ctx context.Context, changed <-chan struct{}, atMost time.Duration) error {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case <-changed:
	case <-timer.C:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}
