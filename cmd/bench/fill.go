package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/sync/errgroup"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approval"
	"gatehouse/cmd/bench/bare"
	"gatehouse/db"
)

// What the portal's figures have in store.
const (
	storedApprovals = 1_000
	storedReceipts  = 10_000
	waiting         = bare.Rows // of the approvals; the others are decided
)

// fill brings approvals and receipts up to what the figure asks for, once. It returns a run with receipts.
func (s *Stage) fill(ctx context.Context) (run string, err error) {
	if err := s.fillApprovals(ctx, s.count(storedApprovals, 60)); err != nil {
		return "", fmt.Errorf("approvals: %w", err)
	}
	t, err := s.talker(ctx)
	if err != nil {
		return "", err
	}
	defer t.Close()
	for {
		if run, err = t.turn("it-admin", askList, nil); err != nil {
			return "", err
		}
		have, err := s.receipts(t, run)
		if err != nil {
			return "", err
		}
		missing := int64(s.count(storedReceipts, 50)) - have
		if missing <= 0 {
			return run, nil
		}
		if _, err := s.talk(ctx, int(missing/4)+1); err != nil { // a turn leaves more than four
			return "", err
		}
	}
}

// receipts is how many receipts agentd has: the newest number of a run that just ended.
func (s *Stage) receipts(t *talker, run string) (int64, error) {
	var got wire.ReceiptsResult
	if err := t.say.ask(http.MethodGet, "/api/v1/customer/runs/"+run+"/receipts", nil, http.StatusOK, &got); err != nil {
		return 0, err
	}
	if len(got.Items) == 0 {
		return 0, fmt.Errorf("run %s has no receipts", run)
	}
	return got.Items[len(got.Items)-1].Seq, nil
}

// fillApprovals adds approvals until the customer has n, of which some wait.
func (s *Stage) fillApprovals(ctx context.Context, n int) error {
	var have, pending int
	err := s.db.Pool.QueryRow(ctx, "SELECT count(*), count(*) FILTER (WHERE state = 'pending') FROM approvals WHERE customer_id = $1",
		string(s.owner.CustomerID)).Scan(&have, &pending)
	if err != nil {
		return err
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(8)
	for i := have; i < n; i++ {
		wait := i-have < waiting-pending
		g.Go(func() error { return s.addApproval(ctx, wait) })
	}
	return g.Wait()
}

func (s *Stage) addApproval(ctx context.Context, wait bool) error {
	store := &db.Approvals{DB: s.db}
	it := s.sampleApproval(time.Now().UTC().Truncate(time.Second))
	if _, err := store.Add(ctx, it); err != nil || wait {
		return err
	}
	_, err := store.Change(ctx, s.owner.CustomerID, it.ID, func(_ context.Context, it *approval.Item) error {
		by := wire.DecidedBy{UserID: string(s.owner.ID), Name: s.owner.Email, Role: string(account.Owner), Channel: "portal", Method: "session"}
		_, err := it.Decide(approval.Answer{Verb: wire.Deny, Reason: "not now", By: by}, time.Now())
		return err
	})
	return err
}

// sampleApproval is a letter to somebody outside, as agentd asks for it.
func (s *Stage) sampleApproval(now time.Time) approval.Item {
	args := json.RawMessage(`{"subject":"Opening hours","text":"Good morning,\n\nwe open at nine tomorrow.\n\nThe bakery","to":"someone@example.com"}`)
	sum := sha256.Sum256(args)
	run, id := newID(), newID()
	a := wire.Approval{
		ID: id, Code: id[30:], ServerID: s.hub.Demo.ServerID, SessionID: newID(), RootRunID: run, RunID: run, CallID: newID(),
		Agent: "secretary", Tool: "message", Action: "mail.message.send", Args: args, ArgsHash: hex.EncodeToString(sum[:]),
		Tier: "yellow_external", PolicyVersion: 1, StagedHash: "-", Summary: "E-mail someone@example.com: Opening hours",
		Facts:  []wire.Fact{{Name: "recipients", Value: 1, Text: "1 recipient: someone@example.com"}, {Name: "bytes", Value: 54, Text: "54 bytes of text"}},
		Reason: "The owner asked to tell the customer.", WhyAsked: "It leaves the business.", Windows: []int{15, 60},
		CreatedAt: now, ExpiresAt: now.Add(24 * time.Hour),
	}
	a.Digest = wire.DigestOf(a)
	return approval.Item{Approval: a, CustomerID: s.owner.CustomerID}
}
