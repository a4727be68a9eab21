package agentlink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"golang.org/x/time/rate"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/fault"
	"gatehouse/app/relay"
)

// burst is how many reliable frames a server may have saved up while it was away.
const burst = 2000

// applyAll applies reliable frames in their order and lets the server know. While the database is away it waits, and
// with it the server's outbox.
func (c *conn) applyAll(ctx context.Context) error {
	limit := rate.NewLimiter(c.h.d.Limits.Reliable, burst)
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case f := <-c.in:
			if err := limit.Wait(ctx); err != nil {
				return err
			}
			if err := c.insist(ctx, f); err != nil {
				return err
			}
		}
	}
}

// insist applies one frame, however often it takes.
func (c *conn) insist(ctx context.Context, f wire.Frame) error {
	for wait := 100 * time.Millisecond; ; wait = min(2*wait, 5*time.Second) {
		err := c.apply(ctx, f)
		if err == nil || ctx.Err() != nil || errors.Is(err, relay.ErrFenced) || errors.Is(err, relay.ErrGap) {
			return err
		}
		c.h.d.Log.ErrorContext(ctx, "frame not applied yet", "server_id", c.peer.ID, "type", string(f.Type), "error", err)
		if err := pause(ctx, wait); err != nil {
			return err
		}
	}
}

func (c *conn) apply(ctx context.Context, f wire.Frame) error {
	select {
	case c.h.applying <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	var about relay.Notice
	done, err := c.h.d.Links.Apply(ctx, c.peer.ID, c.epoch, f, c.h.d.Now().UTC(), func(ctx context.Context) (err error) {
		about, err = c.effect(ctx, f)
		return err
	})
	<-c.h.applying
	if err != nil {
		return err
	}
	c.done.Store(done.Seq)
	signal(c.ackDue)
	switch {
	case done.Refused != nil:
		c.h.d.Log.WarnContext(ctx, "frame refused", "server_id", c.peer.ID, "type", string(f.Type), "frame_id", f.ID, "error", done.Refused)
	case done.Fresh && about.Kind != "":
		about.CustomerID = string(c.peer.CustomerID)
		c.h.notify(ctx, about)
	}
	if f.Type == wire.TypeConfigState {
		c.Nudge() // a new version may have been made in answer to it
	}
	return nil
}

// errBodyForm says that the body of a frame does not fit its type.
var errBodyForm = fault.New(fault.Invalid, "frame-body", "body of frame does not fit its type", "The message of the server could not be read.")

// effect does what a frame says, in the transaction of ctx, and says what pages should hear of it.
func (c *conn) effect(ctx context.Context, f wire.Frame) (relay.Notice, error) {
	from := approval.Sender{ID: c.peer.ID, CustomerID: c.peer.CustomerID}
	server := relay.Notice{Kind: relay.KindServer, ID: string(c.peer.ID)}
	switch f.Type {
	case wire.TypeApprovalRequest:
		a, err := body[wire.Approval](f)
		return relay.Notice{Kind: relay.KindApproval, ID: a.ID}, then(err, func() error { return c.h.d.Approvals.Receive(ctx, from, a) })
	case wire.TypeApprovalUpdate:
		u, err := body[wire.ApprovalUpdate](f)
		return relay.Notice{Kind: relay.KindApproval, ID: u.ID}, then(err, func() error { return c.h.d.Approvals.Update(ctx, from, u) })
	case wire.TypeReceiptCheckpoint:
		k, err := body[wire.Checkpoint](f)
		return relay.Notice{}, then(err, func() error { return c.h.d.Receipts.Keep(ctx, c.peer.ID, c.peer.Key, k) })
	case wire.TypeConfigState:
		s, err := body[wire.ConfigState](f)
		return relay.Notice{Kind: relay.KindConfig, ID: string(c.peer.ID)}, then(err, func() error {
			return c.h.d.Configs.Report(ctx, c.peer.CustomerID, c.peer.ID, s)
		})
	case wire.TypeApproverState:
		s, err := body[wire.ApproverState](f)
		return server, then(err, func() error { return c.h.d.Approvers.Report(ctx, c.peer.ID, s) })
	case wire.TypeSupportState:
		s, err := body[wire.SupportState](f)
		return server, then(err, func() error { return c.h.d.Support.Report(ctx, c.peer.ID, s) })
	case wire.TypeSupportLine:
		l, err := body[wire.SupportLine](f)
		return server, then(err, func() error { return c.h.d.Support.Looked(ctx, c.peer.ID, l) })
	case wire.TypeUsageReport:
		u, err := body[wire.UsageReport](f)
		return relay.Notice{Kind: relay.KindUsage, ID: server.ID}, then(err, func() error { return c.h.d.Usage.Report(ctx, c.peer.ID, u) })
	case wire.TypeAlert:
		a, err := body[wire.Alert](f)
		return server, then(err, func() error { return c.h.d.Alerts.Raise(ctx, c.peer.ID, a, c.h.d.Now().UTC()) })
	}
	return relay.Notice{}, fmt.Errorf("%s from a server: %w", f.Type, errBodyForm)
}

func body[T any](f wire.Frame) (v T, err error) {
	if err := json.Unmarshal(f.Body, &v); err != nil {
		return v, fmt.Errorf("%w: %w", errBodyForm, err)
	}
	return v, nil
}

// then goes on with next unless something went wrong before.
func then(err error, next func() error) error {
	if err != nil {
		return err
	}
	return next()
}
