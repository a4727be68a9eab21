package regain

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/staff"
	"gatehouse/app/work"
)

// Delay is how long everybody who knows better has to stop a case.
const Delay = 72 * time.Hour

// State is how a case stands.
type State string

// The states of a case.
const (
	Opened  State = "opened"  // waits for a second member of staff
	Waiting State = "waiting" // the delay runs
	Done    State = "done"
	Stopped State = "stopped"
)

// Case is an owner who gets back in.
type Case struct {
	ID            string
	CustomerID    account.CustomerID
	UserID        account.UserID
	Email         string // the new address
	OldEmail      string
	Reason        string
	Checked       string // how it was made sure that it is them
	State         State
	OpenedBy      string // id of the member of staff
	OpenedName    string
	OpenedAt      time.Time
	ConfirmedBy   string
	ConfirmedName string
	Due           time.Time // when the delay is over; zero until it was confirmed
	EndedAt       time.Time
	EndedBy       string // who stopped it
}

// Running says whether the case can still be stopped.
func (c Case) Running() bool { return c.State == Opened || c.State == Waiting }

// Request is what a case is opened with.
type Request struct {
	UserID          account.UserID
	Email           string
	Reason, Checked string
}

// Address is one that is told of a case.
type Address struct{ Email, Name, Locale string }

// Store keeps cases; db.Regain has it.
type Store interface {
	// Open keeps a case and records e. While another one of the customer runs it is ErrRunning.
	Open(ctx context.Context, c Case, e audit.Entry) error
	Find(ctx context.Context, id string) (Case, error)
	// Of lists the newest cases of a customer, newest first.
	Of(ctx context.Context, of account.CustomerID, limit int) ([]Case, error)
	// Confirm moves a case that waits for it on, records e and queues follow; false when it does not wait any more.
	Confirm(ctx context.Context, c Case, e audit.Entry, follow func(to []Address) []work.Item) (bool, error)
	// Stop ends a case that runs and records e; false when it has ended already.
	Stop(ctx context.Context, c Case, e audit.Entry) (bool, error)
	// Finish gives the owner the new address and takes password, second step and sign-ins, records e and queues follow. An address
	// that somebody else has got meanwhile is account.ErrJoinTaken, an owner who was removed is ErrGone.
	Finish(ctx context.Context, c Case, e audit.Entry, follow []work.Item) error
	// Addresses are the known addresses of a case: of all people of the business, and the new one.
	Addresses(ctx context.Context, c Case) ([]Address, error)
	AddLink(ctx context.Context, hash []byte, caseID, email string) error
	// Joined is when one of our staff got the account.
	Joined(ctx context.Context, staffID string) (time.Time, error)
	// ByLink finds the case that a link stops, and to whom the link was sent.
	ByLink(ctx context.Context, hash []byte) (c Case, email string, err error)
}

// ErrGone says that the owner whom a case is about was removed.
var ErrGone = errors.New("the owner of the case was removed")

// Service is what is done about cases.
type Service struct {
	Store  Store
	Owners Owners
	Now    func() time.Time
}

// Owners are the people of customers; account.Service has them.
type Owners interface {
	User(ctx context.Context, of account.CustomerID, id account.UserID) (account.User, error)
}

// Refusals.
var (
	ErrRunning = fault.New(fault.Conflict, "regain-running", "a case of the customer runs",
		"A case for this customer runs already. Nothing was changed. Stop that one first.")
	ErrOver = fault.New(fault.Conflict, "regain-over", "case has moved on",
		"This case has moved on meanwhile: it was confirmed, stopped, or is done. Nothing was changed.")
	ErrSame = fault.New(fault.Forbidden, "regain-same", "case confirmed by who opened it",
		"You opened this case. Nothing was changed. Somebody else of the staff must confirm it.")
	ErrYoung = fault.New(fault.Forbidden, "regain-young", "whoever confirms a case is new on the staff",
		"Nothing was changed. Whoever confirms a case must have been on the staff for seven days when it was opened: "+
			"nobody can make a second account for it.")
	ErrOld = fault.New(fault.Conflict, "regain-old", "case was opened long ago",
		"This case was opened more than seven days ago. Nothing was changed. Stop it, make sure anew who asks, and open another.")
	ErrNoOwner = fault.New(fault.Conflict, "regain-no-owner", "case is about nobody who is an owner",
		"The person of this case is not an owner of the business any more. Nothing was changed. Stop the case.")
	ErrLink = fault.New(fault.Gone, "regain-link", "link that stops a case is unknown",
		"This link stops nothing any more. Nothing was changed. If you still see something wrong, write to us.")
)

// Open opens a case. Nothing happens before a second one of our staff confirms it.
func (s *Service) Open(ctx context.Context, of account.CustomerID, r Request, by audit.Actor) (Case, error) {
	if err := staff.Require(by, staff.CustomersWrite); err != nil {
		return Case{}, err
	}
	r.Email, r.Reason, r.Checked = strings.TrimSpace(r.Email), strings.TrimSpace(r.Reason), strings.TrimSpace(r.Checked)
	if bad := problems(r); len(bad) > 0 {
		return Case{}, fault.Bad(bad)
	}
	u, err := s.Owners.User(ctx, of, r.UserID)
	if err != nil || u.Role != account.Owner {
		return Case{}, fault.Bad(map[string]string{"user": "Choose one of the owners."})
	}
	c := Case{
		ID: uuid.Must(uuid.NewV7()).String(), CustomerID: of, UserID: u.ID, Email: r.Email, OldEmail: u.Email, Reason: r.Reason,
		Checked: r.Checked, State: Opened, OpenedBy: by.ID, OpenedName: by.Name, OpenedAt: s.now(),
	}
	return c, s.Store.Open(ctx, c, s.entry(c, by, "regain.open"))
}

func problems(r Request) map[string]string {
	bad := map[string]string{}
	if msg := account.CheckEmail(r.Email); msg != "" {
		bad["email"] = msg
	}
	for field, text := range map[string]string{"reason": r.Reason, "checked": r.Checked} {
		if n := utf8.RuneCountInString(text); n < 10 || n > 1000 {
			bad[field] = "Write 10 to 1,000 characters: this stays on record."
		}
	}
	return bad
}

func (s *Service) now() time.Time { return s.Now().UTC().Truncate(time.Microsecond) }

func (s *Service) entry(c Case, by audit.Actor, action string) audit.Entry {
	return audit.Entry{
		ID: uuid.Must(uuid.NewV7()).String(), At: s.now(), By: by, CustomerID: string(c.CustomerID), Action: action,
		Target:  string(c.UserID),
		Details: map[string]string{"case": c.ID},
	}
}

// Of lists the newest cases of a customer, newest first.
func (s *Service) Of(ctx context.Context, of account.CustomerID) ([]Case, error) {
	return s.Store.Of(ctx, of, 20)
}

// Running is the case of a customer that can still be stopped; nil when there is none.
func (s *Service) Running(ctx context.Context, of account.CustomerID) (*Case, error) {
	all, err := s.Store.Of(ctx, of, 20)
	for _, c := range all {
		if c.State == Waiting {
			return &c, err
		}
	}
	return nil, err
}

// Confirm lets a case go on, by another one of our staff than opened it. Every known address is mailed.
func (s *Service) Confirm(ctx context.Context, of account.CustomerID, id string, by audit.Actor) (Case, error) {
	if err := staff.Require(by, staff.CustomersWrite); err != nil {
		return Case{}, err
	}
	c, err := s.find(ctx, of, id)
	switch {
	case err != nil:
		return c, err
	case c.State != Opened:
		return c, ErrOver
	case by.Kind != audit.Staff || by.ID == c.OpenedBy:
		return c, ErrSame
	}
	if err := s.confirmable(ctx, c, by); err != nil {
		return c, err
	}
	c.State, c.ConfirmedBy, c.ConfirmedName, c.Due = Waiting, by.ID, by.Name, s.now().Add(Delay)
	ok, err := s.Store.Confirm(ctx, c, s.entry(c, by, "regain.confirm"), func(to []Address) []work.Item {
		follow := []work.Item{work.FinishRegain{CaseID: c.ID}}
		for _, a := range to {
			follow = append(follow, work.SendMail{Template: LetterTold, UserID: nobody, Ref: c.ID + " " + a.Email})
		}
		return follow
	})
	if err == nil && !ok {
		err = ErrOver
	}
	return c, err
}

// known is how long somebody must have been on the staff before a case to confirm it, and for how long it can be confirmed.
const known = 7 * 24 * time.Hour

// confirmable says why a case cannot be confirmed by somebody, though they did not open it.
func (s *Service) confirmable(ctx context.Context, c Case, by audit.Actor) error {
	if s.now().Sub(c.OpenedAt) > known {
		return ErrOld
	}
	joined, err := s.Store.Joined(ctx, by.ID)
	if err != nil {
		return err
	}
	if c.OpenedAt.Sub(joined) < known {
		return ErrYoung
	}
	u, err := s.Owners.User(ctx, c.CustomerID, c.UserID)
	if fault.Of(err).Kind == fault.NotFound || err == nil && u.Role != account.Owner {
		return ErrNoOwner
	}
	return err
}

func (s *Service) find(ctx context.Context, of account.CustomerID, id string) (Case, error) {
	if uuid.Validate(id) != nil {
		return Case{}, ErrOver
	}
	c, err := s.Store.Find(ctx, id)
	if err == nil && c.CustomerID != of {
		err = ErrOver
	}
	return c, err
}

// Stop ends a case, by our staff or by anyone of the business who is signed in.
func (s *Service) Stop(ctx context.Context, of account.CustomerID, id string, by audit.Actor) error {
	if err := staff.Require(by, staff.CustomersWrite); err != nil {
		return err
	}
	c, err := s.find(ctx, of, id)
	if err != nil {
		return err
	}
	return s.stop(ctx, c, by)
}

func (s *Service) stop(ctx context.Context, c Case, by audit.Actor) error {
	if !c.Running() {
		return ErrOver
	}
	c.State, c.EndedAt, c.EndedBy = Stopped, s.now(), by.Name
	ok, err := s.Store.Stop(ctx, c, s.entry(c, by, "regain.stop"))
	if err == nil && !ok {
		err = ErrOver
	}
	return err
}

// Peek finds the case that a link stops, and uses nothing up: mail programs open links by themselves.
func (s *Service) Peek(ctx context.Context, token string) (Case, error) {
	c, _, err := s.byLink(ctx, token)
	return c, err
}

func (s *Service) byLink(ctx context.Context, token string) (Case, string, error) {
	c, email, err := s.Store.ByLink(ctx, hash(token))
	if fault.Of(err).Kind == fault.NotFound || err == nil && !c.Running() {
		err = ErrLink
	}
	return c, email, err
}

// StopByLink ends a case for whoever was mailed the link. Nobody has to be signed in.
func (s *Service) StopByLink(ctx context.Context, token, address string) error {
	c, email, err := s.byLink(ctx, token)
	if err != nil {
		return err
	}
	return s.stop(ctx, c, audit.Actor{Kind: audit.System, Name: email, Address: address})
}

// Work ends a case whose delay is over, and says after how long to look again; 0 when there is nothing left to do.
func (s *Service) Work(ctx context.Context, id string) (time.Duration, error) {
	c, err := s.Store.Find(ctx, id)
	if err != nil || c.State != Waiting {
		return 0, err
	}
	now := s.now()
	if rest := c.Due.Sub(now); rest > 0 {
		return rest, nil
	}
	c.State, c.EndedAt = Done, now
	err = s.Store.Finish(ctx, c, s.entry(c, audit.Itself, "regain.done"), []work.Item{
		work.SendMail{Template: string(account.LinkReset), UserID: string(c.UserID), Ref: c.ID},
		work.SendMail{Template: LetterDone, UserID: nobody, Ref: c.ID + " " + c.OldEmail},
	})
	// Somebody else has got the address meanwhile, or the owner was removed.
	if errors.Is(err, account.ErrJoinTaken) || errors.Is(err, ErrGone) {
		c.State = Waiting
		err = s.stop(ctx, c, audit.Itself)
	}
	return 0, err
}

// The letters about a case.
const (
	LetterTold = "regain_told"
	LetterDone = "regain_done"
)

// nobody is the recipient of letters that go to addresses, whoever has them.
const nobody = "00000000-0000-0000-0000-000000000000"

// Letters says whether a letter is one of this package.
func Letters(template string) bool { return template == LetterTold || template == LetterDone }

// Letter makes the contents of a letter. The secret of its link is made here, so that no row of the queue ever holds it.
func (s *Service) Letter(ctx context.Context, m work.SendMail) (account.Letter, error) {
	id, email, _ := strings.Cut(m.Ref, " ")
	c, err := s.Store.Find(ctx, id)
	if err != nil {
		return account.Letter{}, err
	}
	all, err := s.Store.Addresses(ctx, c)
	if err != nil {
		return account.Letter{}, err
	}
	l := account.Letter{Template: m.Template, To: email, Name: email, Ref: m.Ref}
	for _, a := range all {
		if a.Email == email {
			l.Name, l.Locale = a.Name, a.Locale
		}
	}
	if m.Template == LetterDone {
		return l, nil
	}
	if c.State != Waiting {
		return l, ErrLink // it was stopped before the letter went out
	}
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails: it ends the program instead
	l.Token = base64.RawURLEncoding.EncodeToString(b[:])
	if err := s.Store.AddLink(ctx, hash(l.Token), c.ID, email); err != nil {
		return l, fmt.Errorf("link that stops a case: %w", err)
	}
	return l, nil
}

func hash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
