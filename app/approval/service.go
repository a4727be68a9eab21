package approval

import (
	"context"
	"log/slog"
	"time"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/relay"
	"gatehouse/app/server"
)

// Query cuts a list of approvals, newest first.
type Query struct {
	Status string // "pending", "decided" or empty for both
	ID     string // empty: all
	Agent  string // empty: all
	Tool   string // empty: all
	Tier   string // empty: all
	Bare   bool   // only what names an approval: id, customer, agent, tier, digest, state, times and why an answer was taken back
	Page   page.Ask
}

// Store is what Service needs; db.Approvals has it. A call inside the fn of a Change belongs to its transaction, and so
// does every other store of the database that is given the ctx of fn.
type Store interface {
	// Add keeps a new approval; false when one with this id is there already.
	Add(ctx context.Context, a Item) (bool, error)
	// Change locks an approval of the customer, runs fn on it and saves what it did: all or nothing.
	Change(ctx context.Context, of account.CustomerID, id string, fn func(context.Context, *Item) error) (Item, error)
	// ChangeAny is Change whoever the approval belongs to: for staff and for what a server reports.
	ChangeAny(ctx context.Context, id string, fn func(context.Context, *Item) error) (Item, error)
	// Get finds an approval of the customer.
	Get(ctx context.Context, of account.CustomerID, id string) (Item, error)
	// Find finds an approval whoever it belongs to: for staff, without contents.
	Find(ctx context.Context, id string) (Item, error)
	// List lists approvals of the customer.
	List(ctx context.Context, of account.CustomerID, q Query) (page.Of[Item], error)
	// ListAll lists approvals of all customers: for staff, without contents.
	ListAll(ctx context.Context, q Query) (page.Of[Item], error)
	// Pending counts what waits for the customer, up to 10,000.
	Pending(ctx context.Context, of account.CustomerID) (int, error)
	// PendingAll counts what waits for all customers, up to 10,000: for staff.
	PendingAll(ctx context.Context) (int, error)
	// Overdue gives ids of what is pending although it ran out before, oldest first.
	Overdue(ctx context.Context, before time.Time, limit int) ([]string, error)
}

// Outbox keeps frames for servers until they are delivered, in the transaction of ctx; db.Links has it.
type Outbox interface {
	Put(ctx context.Context, id server.ID, f wire.Frame) error
	// SealKey is the key to which bodies for a server are sealed.
	SealKey(ctx context.Context, id server.ID) (string, error)
}

// Holds says on which servers nothing may be allowed for now; receipt.Service does. A call belongs to the transaction of ctx.
type Holds interface {
	MayAllow(ctx context.Context, id server.ID) error
}

// Record keeps what people did, in the transaction of ctx; db.Trail has it.
type Record interface {
	Add(ctx context.Context, e audit.Entry) error
}

// Devices has the devices of people told what waits, in the transaction of ctx; db.PushDevices has it.
type Devices interface {
	// Changed is called whenever a request of the customer begins to wait or ends to.
	Changed(ctx context.Context, of account.CustomerID) error
}

// Live is what Service needs of the live traffic; relay.Relay has it.
type Live interface {
	Notify(n relay.Notice) error
	Nudge(serverID string) error
	Subscribe(ctx context.Context, customerID string) (*relay.Subscription, error)
}

// Service is the inbox: what people and servers do with approvals.
type Service struct {
	Store   Store
	Outbox  Outbox
	Keys    Keys
	Holds   Holds
	Record  Record
	Devices Devices
	Live    Live
	Now     func() time.Time
	Log     *slog.Logger
}

// Get finds an approval of the customer. Once it is decided it holds no contents: those are read from the server.
func (s *Service) Get(ctx context.Context, of account.CustomerID, id string) (Item, error) {
	return s.Store.Get(ctx, of, id)
}

// List lists approvals of the customer, newest first.
func (s *Service) List(ctx context.Context, of account.CustomerID, q Query) (page.Of[Item], error) {
	var err error
	if q.Page, err = q.Page.Clean(); err != nil {
		return page.Of[Item]{}, err
	}
	return s.Store.List(ctx, of, q)
}

// Pending counts what waits for the customer.
func (s *Service) Pending(ctx context.Context, of account.CustomerID) (int, error) {
	return s.Store.Pending(ctx, of)
}

// Find finds an approval for staff: whoever it belongs to, and without contents.
func (s *Service) Find(ctx context.Context, id string) (Item, error) {
	return s.Store.Find(ctx, id)
}

// ListAll lists approvals of all customers for staff, without contents.
func (s *Service) ListAll(ctx context.Context, q Query) (page.Of[Item], error) {
	var err error
	if q.Page, err = q.Page.Clean(); err != nil {
		return page.Of[Item]{}, err
	}
	return s.Store.ListAll(ctx, q)
}

// PendingAll counts what waits for all customers, for staff.
func (s *Service) PendingAll(ctx context.Context) (int, error) {
	return s.Store.PendingAll(ctx)
}

// changed tells open pages about an approval. A page that is not told finds out when it loads.
func (s *Service) changed(ctx context.Context, a Item) {
	if err := s.Live.Notify(relay.Notice{Kind: relay.KindApproval, CustomerID: string(a.CustomerID), ID: a.ID}); err != nil {
		s.Log.WarnContext(ctx, "pages not told of approval", "approval_id", a.ID, "error", err)
	}
}

// moved has devices told, in the transaction of ctx, when an approval has begun to wait or ended to since it was in state was.
func (s *Service) moved(ctx context.Context, a Item, was wire.ApprovalState) error {
	if (was == wire.ApprovalPending) == (a.State == wire.ApprovalPending) {
		return nil
	}
	return s.Devices.Changed(ctx, a.CustomerID)
}
