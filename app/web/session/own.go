package session

import (
	"errors"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/signin"
)

// errNobody is a mistake of ours: the route demands no sign-in.
var errNobody = errors.New("request of nobody who is signed in")

// subject is whose sign-ins a request may see and end.
func (w Who) subject() signin.Subject {
	return signin.Subject{CustomerID: w.CustomerID, UserID: w.UserID, StaffID: w.StaffID}
}

// List gives the live sign-ins of the person who is signed in, the one used last first.
func List(c echo.Context) ([]signin.Signin, error) {
	m, ok := c.Get(managerKey).(*Manager)
	if !ok || !Of(c).Signed() {
		return nil, errNobody
	}
	kind := signin.Customer
	if Of(c).IsStaff() {
		kind = signin.Staff
	}
	return m.desk.Store.List(c.Request().Context(), Of(c).subject(), kind, m.now().UTC())
}

// End ends sign-ins of the person who is signed in, records e and closes their open pages. It says how many it ended:
// none, when they are over already or are somebody else's.
func End(c echo.Context, which signin.Which, e audit.Entry) (int, error) {
	m, ok := c.Get(managerKey).(*Manager)
	if !ok || !Of(c).Signed() {
		return 0, errNobody
	}
	e.ID, e.At = uuid.Must(uuid.NewV7()).String(), m.now().UTC()
	ended, err := m.desk.Store.EndOnRecord(c.Request().Context(), Of(c).subject(), which, e)
	if err != nil {
		return 0, err
	}
	m.watch.end(ended...)
	return len(ended), nil
}
