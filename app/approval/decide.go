package approval

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/app/staff"
)

// editWait is how long Decide waits for the server's word on edited arguments: their tier may rise, and then the
// server asks anew.
const editWait = 2 * time.Second

// Decide takes a person's answer to an approval of their own customer: the decision, the end of the contents, the
// sealed frame for the server and the record of who did it are one transaction. After an edit the item may come back
// as superseded, with Next naming the approval that replaced it.
func (s *Service) Decide(ctx context.Context, of account.CustomerID, id string, ans Answer) (Item, error) {
	var sub *relay.Subscription
	if ans.Verb == wire.Edit {
		wait, cancel := context.WithCancel(ctx)
		defer cancel()
		var err error
		if sub, err = s.Live.Subscribe(wait, string(of)); err != nil {
			return Item{}, fmt.Errorf("decide %s: %w", id, err)
		}
	}
	var asked Item
	a, err := s.Store.Change(ctx, of, id, s.deciding(ans, &asked))
	if err != nil {
		return Item{}, fmt.Errorf("decide %s: %w", id, s.refused(ctx, asked, ans, err))
	}
	s.send(ctx, a)
	if sub != nil {
		return s.afterEdit(ctx, a, sub), nil
	}
	return a, nil
}

// DecideAny takes the answer of staff, who may deny, and allow with a key that the owner has enrolled for them.
func (s *Service) DecideAny(ctx context.Context, id string, ans Answer) (Item, error) {
	ans.By.Role = "staff"
	var asked Item
	a, err := s.Store.ChangeAny(ctx, id, s.deciding(ans, &asked))
	if err != nil {
		return Item{}, fmt.Errorf("decide %s as staff: %w", id, s.refused(ctx, asked, ans, err))
	}
	s.send(ctx, a)
	return a, nil
}

// permitted refuses one of our staff whose role does not include the answer. Each who sees requests may deny.
func (ans Answer) permitted() error {
	need := staff.ApprovalsDecide
	if ans.Verb == wire.Deny {
		need = staff.ApprovalsRead
	}
	if ans.By.Role == "staff" && !ans.Staff.May(need) {
		return staff.Refused(need)
	}
	return nil
}

// deciding is what happens to the locked approval; asked is what it was before.
func (s *Service) deciding(ans Answer, asked *Item) func(context.Context, *Item) error {
	return func(ctx context.Context, a *Item) error {
		now := s.Now().UTC()
		*asked = *a
		if err := ans.permitted(); err != nil {
			return err
		}
		if err := s.stillMay(ctx, a.CustomerID, ans); err != nil {
			return err
		}
		if err := a.check(ans, now); err != nil {
			return err
		}
		if err := s.signed(ctx, a, ans, now); err != nil {
			return err
		}
		d, err := a.Decide(ans, now)
		if err != nil {
			return err
		}
		key, err := s.Outbox.SealKey(ctx, server.ID(a.ServerID))
		if err != nil {
			return err
		}
		f, err := relay.NewFrame(wire.TypeApprovalDecision, key, d, now)
		if err != nil {
			return err
		}
		if err := s.Outbox.Put(ctx, server.ID(a.ServerID), f); err != nil {
			return err
		}
		if err := s.moved(ctx, *a, asked.State); err != nil {
			return err
		}
		return s.Record.Add(ctx, entry(*a, d, ans.Staff))
	}
}

// stillMay refuses a member who was let decide when they signed in, and may not any more.
func (s *Service) stillMay(ctx context.Context, of account.CustomerID, ans Answer) error {
	if ans.By.Role != string(account.Member) {
		return nil
	}
	may, err := s.Keys.Decides(ctx, of, ans.By.UserID)
	if err == nil && !may {
		err = account.Refused(account.Approve)
	}
	return err
}

// entry is the record of a decision: who, what and where, and nothing of the contents.
func entry(a Item, d wire.Decision, role staff.Role) audit.Entry {
	by := audit.Actor{Kind: audit.User, ID: d.By.UserID, Name: d.By.Name, Address: d.By.Address}
	if d.By.Role == "staff" {
		by.Kind, by.Role = audit.Staff, string(role)
	}
	details := map[string]string{
		"decision": string(d.Verb), "agent": a.Agent, "tool": a.Tool, "tier": a.Tier,
		"channel": d.By.Channel, "method": d.By.Method, "digest": a.Digest,
	}
	if d.Signature != nil {
		details["key_id"] = d.Signature.KeyID
	}
	if d.Minutes > 0 {
		details["minutes"] = strconv.Itoa(d.Minutes)
	}
	return audit.Entry{
		ID: uuid.Must(uuid.NewV7()).String(), At: d.By.Time, By: by, CustomerID: string(a.CustomerID),
		Action: "approval.decide", Target: a.ID, Details: details,
	}
}

// send wakes the server's link and the open pages. The decision is safe already: a link that is down, or not told,
// delivers it when it comes back.
func (s *Service) send(ctx context.Context, a Item) {
	if err := s.Live.Nudge(a.ServerID); err != nil {
		s.Log.WarnContext(ctx, "link not told of decision", "approval_id", a.ID, "server_id", a.ServerID, "error", err)
	}
	s.changed(ctx, a)
}

// afterEdit waits a moment for the server's word. Without one the edit stands as accepted.
func (s *Service) afterEdit(ctx context.Context, a Item, sub *relay.Subscription) Item {
	limit := time.NewTimer(editWait)
	defer limit.Stop()
	for {
		select {
		case <-ctx.Done():
			return a
		case <-limit.C:
			return a
		case n, ok := <-sub.C:
			if !ok {
				return a
			}
			if n.Kind != relay.KindApproval || n.ID != a.ID && n.ID != a.Next {
				continue
			}
			now, settled, err := s.sinceEdit(ctx, a)
			if err != nil {
				s.Log.WarnContext(ctx, "edited approval not read again", "approval_id", a.ID, "error", err)
				return a
			}
			if a = now; settled {
				return a
			}
		}
	}
}

// sinceEdit is what became of an edited approval, and whether that is the server's word: that it runs, or what it asks instead,
// which comes after the word that it asks anew.
func (s *Service) sinceEdit(ctx context.Context, a Item) (now Item, settled bool, err error) {
	if now, err = s.Store.Get(ctx, a.CustomerID, a.ID); err != nil {
		return a, false, err
	}
	if now.State == wire.ApprovalAllowed {
		return now, order[now.Execution] > order[wire.ExecQueued], nil
	}
	if now.Next == "" {
		return now, true, nil
	}
	_, err = s.Store.Get(ctx, a.CustomerID, now.Next)
	if fault.Of(err).Kind == fault.NotFound {
		return now, false, nil
	}
	return now, true, err
}
