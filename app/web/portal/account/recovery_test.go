package account_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/web/portal/portaltest"
)

// lateReport is a store to which the server's report comes only while somebody looks again.
type lateReport struct {
	approver.Store
	looks  atomic.Int32
	report func()
}

func (l *lateReport) Of(ctx context.Context, of account.CustomerID) (approver.Ring, error) {
	if l.looks.Add(1) == 2 {
		l.report()
	}
	return l.Store.Of(ctx, of)
}

// TestNewRecovery_shown: the page after a new recovery code has that code, though the server's report came later than its answer.
func TestNewRecovery_shown(t *testing.T) {
	t.Parallel()
	h := portaltest.Start(t)
	of := h.NewCustomer(t)
	sealed := wire.SealedRecovery{KeyID: "k1", Box: "box", Sig: strings.Repeat("ab", 64)}
	h.Link(t, of).Also = func(_ context.Context, m wire.Method, _ json.RawMessage) (any, error) {
		switch m {
		case wire.MethodRecoveryNew:
			return sealed, nil
		case wire.MethodChannelsList: // the first page asks who waits there
			return wire.ChannelsResult{}, nil
		}
		t.Errorf("asked for %s", m)
		return nil, &wire.RPCError{Code: "bad_request", Text: "Unknown question."}
	}
	store, vouched := h.Keys.Store, &wire.Vouched{Key: strings.Repeat("ab", 32), Sig: strings.Repeat("cd", 64)}
	h.Keys.Store = &lateReport{Store: store, report: func() {
		if err := store.Report(t.Context(), of.Server, wire.ApproverState{Vouched: vouched, Recovery: &sealed}); err != nil {
			t.Error(err)
		}
	}}
	ask := url.Values{"box_key": {"key"}, "version": {"1"}, "signature": {`{"key_id":"k1","time":"2026-01-01T00:00:00Z","sig":"s"}`}}
	if got := h.Owner(t, of).Post("/app/settings/approvers/recovery", ask); got.StatusCode != http.StatusCreated {
		t.Fatalf("%d: %s", got.StatusCode, got.Source)
	}
	ring, err := store.Of(t.Context(), of.ID)
	if err != nil || ring.Recovery == nil || ring.Recovery.Sig != sealed.Sig {
		t.Errorf("the next page has %+v, %v", ring.Recovery, err)
	}
}
