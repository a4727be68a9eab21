package meter

import (
	"context"
	"errors"
	"sync"

	"gatehouse/agentd/llm/slate"
)

// Started is a call that was begun.
type Started struct {
	Call

	b   *Book
	way *slate.Way

	mu    sync.Mutex
	left  bool
	input int64 // tokens of the request, as far as nobody says better
	used  Usage
}

var errNoSlate = errors.New("meter: this book has no record of calls on their way")

// Begin puts a call on record, and reserves on disk what it may use at most. Its record itself is not waited for on disk: it
// outlives a process that is killed, and the reservation a machine that crashes. While the disk takes no page, none begins: what
// cannot be metered is not to be asked for. Settle or Drop must follow.
func (b *Book) Begin(ctx context.Context, c Call) (*Started, error) {
	if b.slate == nil {
		return nil, errNoSlate
	}
	if b.failing.Load() {
		if err := b.again(ctx); err != nil {
			return nil, err
		}
	}
	way, err := b.slate.Begin(c.line(), c.run(), c.Most, b.now())
	if err != nil {
		return nil, err
	}
	return &Started{Call: c, b: b, way: way, input: fromBytes(c.Sent), used: Usage{Estimated: true}}, nil
}

// Left notes that the request has left: from now on its text counts.
func (s *Started) Left() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.left = true
	return s.note(s.used)
}

// HasLeft says whether the request has left.
func (s *Started) HasLeft() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.left
}

// Input takes what the tokenizer counts in the request in place of what its length says.
func (s *Started) Input(tokens int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.input = tokens
	return s.note(s.used)
}

// Note notes what the call has used so far.
func (s *Started) Note(u Usage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.note(u)
}

// SoFar is what the call has used as far as an answer has told it.
func (s *Started) SoFar() Usage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.whole(s.used)
}

func (s *Started) note(u Usage) error {
	s.used = u
	u = s.whole(u)
	return s.way.Note(slate.Used{
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite,
		EstInput: u.EstInput, EstOutput: u.EstOutput, Estimated: u.Estimated,
	}, s.b.now())
}

// whole is u with the request's own text, where the answer has not said what that counts.
func (s *Started) whole(u Usage) Usage {
	if s.left && u.Estimated && u.Input == 0 && u.CacheRead == 0 && u.CacheWrite == 0 {
		u.Input, u.EstInput = s.input, s.input
	}
	return u
}

// Drop takes a call off the record that used nothing: the provider refused it, or was never reached. When the disk does not let that
// be written, the next call tries again; a start before that counts the call, as an estimate.
func (b *Book) Drop(s *Started) { _ = s.way.End() }
