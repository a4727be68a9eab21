package support

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/page"
	"gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/work"
)

const (
	openWait  = 15 * time.Second // for the server's answer to a signed window
	lookWait  = 20 * time.Second // for content
	looksWait = 5 * time.Second
)

// Store keeps windows; db.SupportWindows has it.
type Store interface {
	// Add keeps what one of our staff asks for in place of what they asked of this server before and nobody answered, records e,
	// and has the owners sent a letter.
	Add(ctx context.Context, w Window, letter work.SendMail, e audit.Entry) error
	// Asks counts what one of our staff has asked for on a server since a time.
	Asks(ctx context.Context, on server.ID, staffID string, since time.Time) (int, error)
	Find(ctx context.Context, id string) (Window, error)
	// List is a page of the windows of a customer, newest first.
	List(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[Window], error)
	// OfServer is a page of the windows of a server, newest first.
	OfServer(ctx context.Context, id server.ID, ask page.Ask) (page.Of[Window], error)
	// OpenFor says whether a window of a server is open at a time for one of our staff, with a kind of content in it.
	OpenFor(ctx context.Context, on server.ID, staffID string, k wire.SupportKind, now time.Time) (bool, error)
	// Standing counts the windows of a customer that wait for the owner since a time, and those that are open at another.
	Standing(ctx context.Context, of account.CustomerID, since, now time.Time) (asked, open int, err error)
	// End ends a window that is still in the state from, and records e; false when it is not. f goes to the server in the same
	// transaction.
	End(ctx context.Context, w Window, from State, f wire.Frame, e audit.Entry) (bool, error)
	// Opened records e, about a window that the server has opened.
	Opened(ctx context.Context, id server.ID, s wire.SupportState, e audit.Entry) error
	// Report keeps what a server says about a window, in the transaction of ctx.
	Report(ctx context.Context, id server.ID, s wire.SupportState) error
	// Looked keeps a line about a look, in the transaction of ctx.
	Looked(ctx context.Context, id server.ID, l wire.SupportLine) error
	// Looks lists the newest looks through a window, newest first.
	Looks(ctx context.Context, window string, limit int) ([]Look, error)
}

// Live reaches servers and pages; relay.Relay does.
type Live interface {
	server.Caller
	Nudge(serverID string) error
	Notify(n relay.Notice) error
}

// Service is what the hub does about support windows.
type Service struct {
	Store   Store
	Servers server.Finder
	Known   Known
	Live    Live
	Now     func() time.Time
	Log     *slog.Logger
}

// Known finds servers; server.Service does.
type Known interface {
	Find(ctx context.Context, id server.ID) (server.Server, error)
}

// Refusals.
var (
	errGone = fault.New(fault.NotFound, "support-gone", "no such support window",
		"There is no such support window. Nothing was changed.")
	errAnswered = fault.New(fault.Conflict, "support-answered", "support window is not waiting any more",
		"This is not waiting any more: it was answered, withdrawn, or its time is over. Nothing was changed.")
	errOver = fault.New(fault.Conflict, "support-over", "support window is not open",
		"This support window is not open any more. Nothing was shown. Ask the owner for another one.")
	errNotYours = fault.New(fault.Forbidden, "support-not-yours", "support window is for another of our staff",
		"This support window is for somebody else. Nothing was shown. Ask the owner for one of your own.")
	errNoServer = fault.New(fault.Conflict, "support-no-server", "server is not registered",
		"This server is not registered, so there is nothing to look at. Nothing was asked.")
	errOften = fault.New(fault.TooMany, "support-often", "many support windows asked for",
		"You have asked the owner of this server ten times within a day. Nothing was asked. Call them instead.")
	errSlow = fault.New(fault.Away, "support-old", "agentd of the server knows no support windows",
		"The agentd on this server is too old for support windows. Nothing was opened. Update it first.")
)

// mostAsks is how often one of our staff may ask for a window on a server within a day.
const mostAsks = 10

// Ask has the owner of a server asked to let one of our staff look. The owner is told by mail, and on devices with notifications.
func (s *Service) Ask(ctx context.Context, id server.ID, r Request, by audit.Actor) (Window, error) {
	if err := staff.Require(by, staff.SupportUse); err != nil {
		return Window{}, err
	}
	r, err := r.clean()
	if err != nil {
		return Window{}, err
	}
	srv, err := s.Known.Find(ctx, id)
	switch {
	case err != nil:
		return Window{}, err
	case !srv.Registered():
		return Window{}, errNoServer
	}
	// Each ask mails the owners, and stands in their list.
	if n, err := s.Store.Asks(ctx, id, by.ID, s.now().Add(-24*time.Hour)); err != nil || n >= mostAsks {
		return Window{}, cmp.Or(err, error(errOften))
	}
	w := Window{
		ID: uuid.Must(uuid.NewV7()).String(), CustomerID: srv.CustomerID, Server: id, StaffID: by.ID, Staff: by.Name, Kind: r.Kind,
		SPKI:    r.SPKI,
		Purpose: r.Purpose, Hours: r.Hours, What: r.What, State: Asked, AskedAt: s.now(),
	}
	letter := work.SendMail{Template: "support_ask", Ref: w.ID}
	if err := s.Store.Add(ctx, w, letter, s.entry(w, by, "support.ask")); err != nil {
		return Window{}, err
	}
	s.tell(ctx, w)
	return w, nil
}

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

func (s *Service) entry(w Window, by audit.Actor, action string) audit.Entry {
	return audit.Entry{
		ID: uuid.Must(uuid.NewV7()).String(), At: s.now(), By: by, CustomerID: string(w.CustomerID), Action: action,
		Target:  string(w.Server),
		Details: map[string]string{"window": w.ID, "staff": w.Staff},
	}
}

// Find finds a window of a customer.
func (s *Service) Find(ctx context.Context, of account.CustomerID, id string) (Window, error) {
	w, err := s.find(ctx, id)
	if err == nil && w.CustomerID != of {
		err = errGone
	}
	return w, err
}

// FindOn finds a window of a server.
func (s *Service) FindOn(ctx context.Context, on server.ID, id string) (Window, error) {
	w, err := s.find(ctx, id)
	if err == nil && w.Server != on {
		err = errGone
	}
	return w, err
}

func (s *Service) find(ctx context.Context, id string) (Window, error) {
	if uuid.Validate(id) != nil {
		return Window{}, errGone
	}
	w, err := s.Store.Find(ctx, id)
	if fault.Of(err).Kind == fault.NotFound {
		err = errGone
	}
	return w.At(s.now()), err
}

// List is a page of the windows of a customer, newest first.
func (s *Service) List(ctx context.Context, of account.CustomerID, ask page.Ask) (page.Of[Window], error) {
	ask, err := ask.Clean()
	if err != nil {
		return page.Of[Window]{}, err
	}
	return s.at(s.Store.List(ctx, of, ask))
}

// OfServer is a page of the windows of a server, newest first.
func (s *Service) OfServer(ctx context.Context, id server.ID, ask page.Ask) (page.Of[Window], error) {
	ask, err := ask.Clean()
	if err != nil {
		return page.Of[Window]{}, err
	}
	return s.at(s.Store.OfServer(ctx, id, ask))
}

// at is a page of windows as they stand now.
func (s *Service) at(p page.Of[Window], err error) (page.Of[Window], error) {
	now := s.now()
	for i := range p.Items {
		p.Items[i] = p.Items[i].At(now)
	}
	return p, err
}

// Standing counts the windows of a customer that wait for the owner, and those that are open.
func (s *Service) Standing(ctx context.Context, of account.CustomerID) (asked, open int, err error) {
	now := s.now()
	return s.Store.Standing(ctx, of, now.Add(-AskLife), now)
}

// Lets says whether a window of the owner is open on a server, in which one of our staff may have k.
func (s *Service) Lets(ctx context.Context, on server.ID, staffID string, k wire.SupportKind) (bool, error) {
	return s.Store.OpenFor(ctx, on, staffID, k, s.now())
}

// Open has the server open a window that an owner has signed. The server checks the signature.
func (s *Service) Open(
	ctx context.Context, of account.CustomerID, id string, version int64, sig *wire.Signature, as wire.DecidedBy, by audit.Actor,
) (Window, error) {
	w, err := s.Find(ctx, of, id)
	switch {
	case err != nil:
		return w, err
	case w.State == Open:
		return w, nil // a repeat, whose first answer was lost
	case w.State != Asked:
		return w, errAnswered
	}
	ask := wire.SupportOpen{Body: w.Body(), Version: version, Signature: sig, By: as}
	peer := server.Peer{Servers: s.Servers, Live: s.Live}
	state, err := server.Ask[wire.SupportState](ctx, peer, of, wire.MethodSupportOpen, ask, openWait)
	if err != nil {
		return w, tooOld(err)
	}
	if err := s.Store.Opened(ctx, w.Server, state, s.entry(w, by, "support.open")); err != nil {
		return w, err
	}
	s.tell(ctx, w)
	return s.Find(ctx, of, id)
}

// tooOld names what an agentd answers that does not know support windows.
func tooOld(err error) error {
	if fault.Of(err).Kind == fault.Invalid {
		return fmt.Errorf("%w: %w", errSlow, err)
	}
	return err
}

// Refuse sends away what staff asked for. That needs no signature: it gives nobody anything.
func (s *Service) Refuse(ctx context.Context, of account.CustomerID, id string, by audit.Actor) (Window, error) {
	w, err := s.Find(ctx, of, id)
	if err != nil {
		return w, err
	}
	return s.end(ctx, w, Asked, Refused, by, "support.refuse")
}

// Close closes a window of a customer at once. That needs no signature: it only takes power away.
func (s *Service) Close(ctx context.Context, of account.CustomerID, id string, by audit.Actor) (Window, error) {
	w, err := s.Find(ctx, of, id)
	if err != nil {
		return w, err
	}
	return s.end(ctx, w, Open, Ended, by, "support.close")
}

// Leave lets one of our staff take back what they asked for, or close the window that they look through.
func (s *Service) Leave(ctx context.Context, on server.ID, id string, by audit.Actor) (Window, error) {
	if err := staff.Require(by, staff.SupportUse); err != nil {
		return Window{}, err
	}
	w, err := s.FindOn(ctx, on, id)
	switch {
	case err != nil:
		return w, err
	case w.StaffID != by.ID:
		return w, errNotYours
	case w.State == Asked:
		return s.end(ctx, w, Asked, Withdrawn, by, "support.withdraw")
	}
	return s.end(ctx, w, Open, Ended, by, "support.close")
}

// end ends a window. It is closed on the server by a frame that waits for the server while it is away: also one that was only asked
// for, since the server may have opened it and its answer been lost. The hub carries no look through it from now on.
func (s *Service) end(ctx context.Context, w Window, from, to State, by audit.Actor, action string) (Window, error) {
	if w.State != from {
		return w, errAnswered
	}
	w.State, w.EndedAt, w.EndedBy = to, s.now(), by.Name
	if from == Open {
		w.Why = wire.SupportClosed
	}
	f, err := relay.NewFrame(wire.TypeSupportClose, "", wire.SupportClose{ID: w.ID, By: decidedBy(by, w.EndedAt)}, w.EndedAt)
	if err != nil {
		return w, err
	}
	ok, err := s.Store.End(ctx, w, from, f, s.entry(w, by, action))
	if err != nil {
		return w, err
	}
	if !ok {
		return w, errAnswered
	}
	s.tell(ctx, w)
	return w, nil
}

func decidedBy(by audit.Actor, at time.Time) wire.DecidedBy {
	role := "owner"
	if by.Kind == audit.Staff {
		role = "staff"
	}
	return wire.DecidedBy{UserID: by.ID, Name: by.Name, Role: role, Address: by.Address, Time: at}
}

// Look carries a look to the server, and the sealed answer back. Whether it shows anything, the server decides.
func (s *Service) Look(ctx context.Context, on server.ID, l wire.SupportLook, by audit.Actor) (box []byte, err error) {
	if err := staff.Require(by, staff.SupportUse); err != nil {
		return nil, err
	}
	w, err := s.FindOn(ctx, on, l.Window)
	switch {
	case err != nil:
		return nil, err
	case w.StaffID != by.ID:
		return nil, errNotYours
	case w.State == Refused, w.State == Withdrawn, w.State == Ended && w.Why == wire.SupportClosed:
		return nil, errors.Join(errOver, s.refused(ctx, w, l)) // the server may not have heard of it yet
	}
	ctx, cancel := context.WithTimeout(ctx, lookWait)
	defer cancel()
	var out wire.SupportLooked
	err = s.Live.Call(ctx, string(on), wire.MethodSupportLook, l, &out)
	return out.Box, err
}

// refused keeps a line about a look that the hub did not carry.
func (s *Service) refused(ctx context.Context, w Window, l wire.SupportLook) error {
	return s.Store.Looked(ctx, w.Server, wire.SupportLine{
		ID: uuid.Must(uuid.NewV7()).String(), Window: w.ID, Staff: w.Staff, See: l.Ask.See, At: s.now(), Refused: errOver.Public,
	})
}

// mostLooks is how many looks of a window are shown.
const mostLooks = 200

// Looks lists the newest looks through a window as the hub knows them, newest first: not what they were at.
func (s *Service) Looks(ctx context.Context, w Window) ([]Look, error) {
	return s.Store.Looks(ctx, w.ID, mostLooks)
}

// Seen lists the newest looks through a window as the server has them on record, with what they were at.
func (s *Service) Seen(ctx context.Context, w Window) ([]Look, error) {
	peer := server.Peer{Servers: s.Servers, Live: s.Live}
	got, err := server.Ask[wire.SupportLooks](ctx, peer, w.CustomerID, wire.MethodSupportLooks,
		wire.SupportLooksParams{Window: w.ID}, looksWait)
	var all []Look
	for _, l := range got.Items {
		all = append(all, Look{ID: l.ID, Staff: l.Staff, See: l.See, Name: l.Name, At: l.At, Refused: l.Refused})
	}
	return all, err
}

// Report keeps what a server says about a window, in the transaction of ctx.
func (s *Service) Report(ctx context.Context, id server.ID, st wire.SupportState) error {
	if uuid.Validate(st.ID) != nil || len(st.By) > 512 || st.Why != "" && st.Why != wire.SupportClosed && st.Why != wire.SupportRanOut {
		return errForm
	}
	return s.Store.Report(ctx, id, st)
}

// Looked keeps a line about a look, in the transaction of ctx.
func (s *Service) Looked(ctx context.Context, id server.ID, l wire.SupportLine) error {
	if uuid.Validate(l.ID) != nil || uuid.Validate(l.Window) != nil || len(l.See.Of()) == 0 || len(l.Staff) > 512 || len(l.Refused) > 512 {
		return errForm
	}
	return s.Store.Looked(ctx, id, l)
}

var errForm = fault.New(fault.Invalid, "support-form", "word of a server about a support window does not fit",
	"What the server said about a support window could not be read.")

// tell wakes the link and the open pages; what they show is safe already.
func (s *Service) tell(ctx context.Context, w Window) {
	if err := s.Live.Nudge(string(w.Server)); err != nil {
		s.Log.WarnContext(ctx, "link not told of support window", "server_id", w.Server, "error", err)
	}
	if err := s.Live.Notify(relay.Notice{Kind: relay.KindServer, CustomerID: string(w.CustomerID), ID: string(w.Server)}); err != nil {
		s.Log.WarnContext(ctx, "pages not told of support window", "server_id", w.Server, "error", err)
	}
}
