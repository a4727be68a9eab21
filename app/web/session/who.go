package session

import (
	"slices"
	"sync"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
)

// How a request proved who sends it; the words stand in audit rows and receipts.
const (
	BySession = "session"
	ByToken   = "token"
)

// Who is the person or program behind a request. Customers have CustomerID and UserID, staff have StaffID; a customer's
// request never has a StaffID, nor the reverse.
type Who struct {
	SigninID   string
	CustomerID string
	UserID     string
	StaffID    string
	Email      string
	Name       string
	Role       string // owner, member; OWNER, ADMIN, MANAGER, SUPPORT
	Chat       bool   // of a member: they may talk with the team
	Approve    bool   // of a member: they may decide requests
	Business   string // customers only
	TimeZone   string // IANA name, "UTC" when unknown
	Locale     string // language of their pages and mails, as package i18n names it; "" when they never chose one
	Method     string // BySession or ByToken
	Scopes     []string
	FreshUntil time.Time // UTC; zero for tokens
}

// Signed says whether anybody is signed in.
func (w Who) Signed() bool { return w.UserID != "" || w.StaffID != "" || w.CustomerID != "" }

// Rights is what a customer's person may do, now; of staff, nothing.
func (w Who) Rights() account.Rights {
	return account.Rights{Role: account.Role(w.Role), Chat: w.Chat, Approve: w.Approve}
}

// IsStaff says whether one of our staff is signed in.
func (w Who) IsStaff() bool { return w.StaffID != "" }

// Zone is the person's time zone, UTC when it is unknown.
func (w Who) Zone() *time.Location {
	if z, ok := zones.Load(w.TimeZone); ok {
		return z.(*time.Location)
	}
	z, err := time.LoadLocation(w.TimeZone)
	if err != nil {
		return time.UTC
	}
	zones.Store(w.TimeZone, z) // names that load are few: those of the time zone database
	return z
}

// zones holds what was loaded, as loading reads a file.
var zones sync.Map

// May says whether an API token carries scope. A session may do all that its route allows.
func (w Who) May(scope string) bool {
	return w.Method != ByToken || slices.Contains(w.Scopes, scope)
}

const (
	whoKey   = "gatehouse.who"
	clerkKey = "gatehouse.clerk"
)

// Clerk says who of our staff reads a page for anyone; nobody when a customer is signed in there. What such a page does
// hangs on Of alone: our staff are visitors to it, who find their way back.
func Clerk(c echo.Context) Who {
	w, _ := c.Get(clerkKey).(Who)
	return w
}

// Of says who sends the request. On a route for anyone it is the customer who happens to be signed in, or nobody.
func Of(c echo.Context) Who {
	w, _ := c.Get(whoKey).(Who)
	return w
}
