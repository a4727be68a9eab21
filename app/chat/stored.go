package chat

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
)

// How often it is looked whether a question has been stored: it is a few milliseconds away.
const (
	firstLook = 2 * time.Millisecond
	lastLook  = 250 * time.Millisecond
)

// awaitStored holds back a question to a person until the inbox has it, so that whoever reads of it can answer it: the
// question itself travels apart from the events, and they may overtake it. One that does not come is not waited for
// longer than for an answer of the server.
func (f *follower) awaitStored(ctx context.Context, ev wire.RunEvent) {
	id := asks(ev)
	if id == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askWait)
	defer cancel()
	for look := firstLook; ; look = min(2*look, lastLook) {
		has, err := f.s.Inbox.Has(ctx, f.of, id)
		if has || ctx.Err() != nil {
			return
		}
		if err != nil {
			f.s.Log.WarnContext(ctx, "inbox not read", "approval_id", id, "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(look):
		}
	}
}

// asks is the id of the approval that an event asks for, or "".
func asks(ev wire.RunEvent) string {
	var a wire.ApprovalData
	if ev.Event != wire.EventApproval || json.Unmarshal(ev.Data, &a) != nil || a.State != wire.ApprovalPending || uuid.Validate(a.ID) != nil {
		return ""
	}
	return a.ID
}
