package push

import (
	"context"
	"encoding/base64"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
)

// Device is a browser in which a person has turned notifications on.
type Device struct {
	ID         string
	CustomerID account.CustomerID
	UserID     account.UserID
	Name       string // as the person calls it
	Print      string // of its subscription, base64url
	CreatedAt  time.Time
	ToldAt     time.Time // when it was last told something; zero: never
	FailedAt   time.Time // since when it cannot be told; zero: the last message went out
}

// Limits of devices.
const (
	MaxDevices = 10 // of one person
	MaxName    = 60 // characters
)

// Store is what Service needs; db.PushDevices has it.
type Store interface {
	// Add keeps a device and has it told what waits. A browser that is known already gets its new name, and its new
	// person if another one signed in there. It is refused when the person has limit other devices.
	Add(ctx context.Context, d Device, s Subscription, limit int, e audit.Entry) error
	// List gives the devices of a person, newest first.
	List(ctx context.Context, of account.CustomerID, user account.UserID) ([]Device, error)
	Rename(ctx context.Context, of account.CustomerID, user account.UserID, id, name string) error
	Remove(ctx context.Context, of account.CustomerID, user account.UserID, id string, e audit.Entry) error
	// Test has a device of the person sent a test message.
	Test(ctx context.Context, of account.CustomerID, user account.UserID, id string) error

	Quiet(ctx context.Context, user account.UserID) (Quiet, error)
	// SetQuiet keeps when a person is not told, and looks again at what their devices should show now.
	SetQuiet(ctx context.Context, of account.CustomerID, user account.UserID, q Quiet) error

	Telling
}

// Sender hands messages to push services; webpush.Sender does.
type Sender interface {
	// Send hands a message over, or answers ErrGone, ErrRefused, Later or an error that another try may mend. No error names
	// the address.
	Send(ctx context.Context, to Subscription, m Message) error
	// PublicKey is what browsers subscribe with, base64url.
	PublicKey() string
}

// Service is the devices of people, and what they are told.
type Service struct {
	Store  Store
	Sender Sender
	Words  Words
	Local  bool // push services may be programs on this machine, for tests
	Now    func() time.Time
	Rules  Rules // what our staff may change
}

// PublicKey is what browsers subscribe with, base64url.
func (s *Service) PublicKey() string { return s.Sender.PublicKey() }

// Add turns notifications on in the browser that sent this subscription.
func (s *Service) Add(ctx context.Context, of account.CustomerID, user account.UserID, name, sent string, by audit.Actor) error {
	sub, err := ParseSubscription(sent, s.Local)
	if err != nil {
		return err
	}
	if name, err = tidyName(name); err != nil {
		return err
	}
	sum := sub.Print()
	d := Device{
		ID: uuid.Must(uuid.NewV7()).String(), CustomerID: of, UserID: user, Name: name,
		Print: base64.RawURLEncoding.EncodeToString(sum[:]), CreatedAt: s.Now().UTC(),
	}
	return s.Store.Add(ctx, d, sub, s.Rules.Devices.Or(MaxDevices), s.entry(by, of, "push_device.add", d.ID))
}

// List gives the devices of a person, newest first.
func (s *Service) List(ctx context.Context, of account.CustomerID, user account.UserID) ([]Device, error) {
	return s.Store.List(ctx, of, user)
}

// Rename calls a device by another name.
func (s *Service) Rename(ctx context.Context, of account.CustomerID, user account.UserID, id, name string) error {
	name, err := tidyName(name)
	if err != nil {
		return err
	}
	return s.Store.Rename(ctx, of, user, id, name)
}

// Remove turns a device off.
func (s *Service) Remove(ctx context.Context, of account.CustomerID, user account.UserID, id string, by audit.Actor) error {
	return s.Store.Remove(ctx, of, user, id, s.entry(by, of, "push_device.remove", id))
}

// Test has a device sent a test message.
func (s *Service) Test(ctx context.Context, of account.CustomerID, user account.UserID, id string) error {
	return s.Store.Test(ctx, of, user, id)
}

// Quiet is when a person is not told.
func (s *Service) Quiet(ctx context.Context, user account.UserID) (Quiet, error) {
	return s.Store.Quiet(ctx, user)
}

// SetQuiet sets when a person is not told.
func (s *Service) SetQuiet(ctx context.Context, of account.CustomerID, user account.UserID, q Quiet) error {
	return s.Store.SetQuiet(ctx, of, user, q)
}

func (s *Service) entry(by audit.Actor, of account.CustomerID, action, id string) audit.Entry {
	return audit.Entry{
		ID: uuid.Must(uuid.NewV7()).String(), At: s.Now().UTC(), By: by, CustomerID: string(of), Action: action, Target: id,
	}
}

// tidyName is a name without needless space.
func tidyName(name string) (string, error) {
	name = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(name, "\x00", ""), "")), " ")
	if name == "" {
		return "", fault.Bad(map[string]string{"name": "Give this device a name, such as Phone."})
	}
	if utf8.RuneCountInString(name) > MaxName {
		return "", fault.Bad(map[string]string{"name": "Give this device a name of at most 60 characters."})
	}
	return name, nil
}
