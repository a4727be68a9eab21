package frame

import (
	"context"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/web/session"
	"gatehouse/views/portal"
	"gatehouse/views/public"
)

// People are the accounts of the customer; account.Service has them.
type People interface {
	User(ctx context.Context, of account.CustomerID, id account.UserID) (account.User, error)
}

// Unconfirmed is what a page says to readers who have not confirmed their address; nil once they have. next is the page.
func Unconfirmed(c echo.Context, people People, next string) (*portal.ConfirmProps, error) {
	u, err := people.User(c.Request().Context(), Customer(c), account.UserID(session.Of(c).UserID))
	if err != nil || u.Verified() {
		return nil, err
	}
	return &portal.ConfirmProps{Email: u.Email, Action: public.AskVerifyPath, Next: next}, nil
}
