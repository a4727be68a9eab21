package relay

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"gatehouse/agentd/wire"
)

// A server whose link stands may still be silent: its network broke without a word, or its process hangs. The first page that
// reads from it waits in full. From then on other pages wait only briefly, until the server answers anything again, even too
// late for whoever asked. What changes something always has its full time: the server might carry it out after the hub has
// given up.
const (
	silentAfter = 2 * time.Second        // a wait of this length without an answer counts
	silentWait  = 600 * time.Millisecond // how long others wait from then on: time enough for a far server that answers
)

// silences remembers which servers do not answer. The zero value knows none; many may use it at once.
type silences struct {
	mu    sync.Mutex
	known map[string]hearing
}

// hearing is what is known of one server.
type hearing struct {
	silent bool
	at     time.Time // when it was heard last
}

// reads are the questions of pages that change nothing and that a server answers at once. The nonce of an opening that nobody
// takes up changes nothing either.
var reads = map[wire.Method]bool{
	wire.MethodAgentsList: true, wire.MethodApprovalGet: true, wire.MethodApprovalsSaid: true, wire.MethodChangeGet: true,
	wire.MethodExportGet: true, wire.MethodFilesGet: true, wire.MethodFilesImage: true, wire.MethodFilesList: true,
	wire.MethodFilesVersions: true, wire.MethodFlaggedList: true, wire.MethodGuardianGet: true, wire.MethodInsideList: true,
	wire.MethodLimitsGet: true, wire.MethodPermissionsGet: true, wire.MethodRunEvents: true, wire.MethodRunGet: true,
	wire.MethodRunReceipts: true, wire.MethodRunsList: true, wire.MethodSecretsAsked: true, wire.MethodSecretsAudit: true,
	wire.MethodSecretsList: true, wire.MethodSecretsOpen: true, wire.MethodSessionGet: true, wire.MethodSessionsList: true,
	wire.MethodSupportLooks: true, wire.MethodWindowsList: true, wire.MethodSchedulesList: true, wire.MethodSchedulesDue: true,
	wire.MethodScheduleRead: true, wire.MethodScheduleGet: true, wire.MethodScheduleTicks: true, wire.MethodSchedulesFailed: true,
	wire.MethodMemoryList: true, wire.MethodHooksList: true, wire.MethodHookGet: true, wire.MethodHookDeliveries: true,
	wire.MethodEventRulesList: true, wire.MethodEventRuleGet: true, wire.MethodEventRuleFirings: true,
	wire.MethodChannelsList: true, wire.MethodChannelStrangers: true,
	wire.MethodTeamLibrary: true, wire.MethodTeamMember: true, wire.MethodTeamHistory: true,
}

// read asks what changes nothing. The question has its full time even when whoever asked has left or waits only briefly: an
// answer that comes late shows that the server is there.
func (r *Relay) read(ctx context.Context, serverID string, raw []byte) (*nats.Msg, error) {
	until, _ := ctx.Deadline()
	full, cancel := context.WithDeadline(context.WithoutCancel(ctx), until)
	type answer struct {
		msg *nats.Msg
		err error
	}
	come := make(chan answer, 1)
	go func() {
		defer cancel()
		msg, err := r.send(full, serverID, raw)
		come <- answer{msg, err}
	}()
	var brief <-chan time.Time
	if r.silent.has(serverID) {
		brief = time.After(silentWait)
	}
	select {
	case a := <-come:
		return a.msg, a.err
	case <-brief:
		return nil, context.DeadlineExceeded
	case <-ctx.Done():
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		return nil, ctx.Err()
	}
	a := <-come // the time of both is up at once: the next page profits from what is learned
	return a.msg, a.err
}

// send asks and notes how the question ended.
func (r *Relay) send(ctx context.Context, serverID string, raw []byte) (*nats.Msg, error) {
	asked := r.now()
	msg, err := r.nc.RequestWithContext(ctx, serverSubject(serverID, wordAsk), raw)
	r.silent.learn(serverID, asked, r.now(), err)
	return msg, err
}

// has reports whether a server is silent.
func (s *silences) has(serverID string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.known[serverID].silent
}

// learn takes over how a question ended that was asked at one time and is over now.
func (s *silences) learn(serverID string, asked, now time.Time, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.known == nil {
		s.known = map[string]hearing{}
	}
	was := s.known[serverID]
	switch {
	case errors.Is(err, context.Canceled): // whoever asked has left
	case errors.Is(err, nats.ErrNoResponders):
		delete(s.known, serverID) // it has no link: asking costs no time
	case !errors.Is(err, context.DeadlineExceeded):
		s.known[serverID] = hearing{at: now}
	case now.Sub(asked) >= silentAfter && !was.at.After(asked):
		s.known[serverID] = hearing{silent: true, at: was.at}
	}
}
