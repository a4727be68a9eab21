package relay

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"gatehouse/agentd/wire"
)

// A server whose link stands may still be silent: its network broke without a word, or its process hangs. The first page that
// reads from it waits in full. For a while after that other pages wait only briefly, so that a customer does not wait again and
// again. What changes something always has its full time: the server might carry it out after the hub has given up.
const (
	silentAfter = 2 * time.Second        // a wait of this length without an answer counts
	silentFor   = 10 * time.Second       // how long it is remembered
	silentWait  = 600 * time.Millisecond // how long others wait meanwhile: time enough for a far server that answers
)

// silences remembers which servers did not answer a moment ago. The zero value knows none; many may use it at once.
type silences struct {
	mu    sync.Mutex
	since map[string]time.Time
}

// reads are the questions of pages that change nothing.
var reads = []wire.Method{
	wire.MethodAgentsList, wire.MethodApprovalGet, wire.MethodApprovalsSaid, wire.MethodChangeGet,
	wire.MethodFlaggedList, wire.MethodGuardianGet,
	wire.MethodInsideList, wire.MethodLimitsGet, wire.MethodPermissionsGet, wire.MethodRunEvents, wire.MethodRunGet,
	wire.MethodRunReceipts, wire.MethodRunsList, wire.MethodSecretsAsked, wire.MethodSecretsAudit, wire.MethodSecretsList,
	wire.MethodSessionGet, wire.MethodSessionsList, wire.MethodWindowsList,
}

// bound shortens the wait of a page that reads from a server that is silent.
func (s *silences) bound(ctx context.Context, serverID string, m wire.Method, now time.Time) (context.Context, context.CancelFunc) {
	if !slices.Contains(reads, m) {
		return ctx, func() {}
	}
	s.mu.Lock()
	at, silent := s.since[serverID]
	s.mu.Unlock()
	if !silent || now.Sub(at) >= silentFor {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, silentWait)
}

// learn takes over how a question ended that was asked at one time and is over now.
func (s *silences) learn(serverID string, asked, now time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case errors.Is(err, context.Canceled): // whoever asked has left
	case !errors.Is(err, context.DeadlineExceeded):
		delete(s.since, serverID) // it answered, or has no link: asking costs no time
	case now.Sub(asked) >= silentAfter:
		if s.since == nil {
			s.since = map[string]time.Time{}
		}
		s.since[serverID] = now
	}
}
