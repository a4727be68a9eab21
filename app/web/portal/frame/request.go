package frame

import (
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/web/session"
)

// Customer is whose data a request may touch.
func Customer(c echo.Context) account.CustomerID {
	return account.CustomerID(session.Of(c).CustomerID)
}

// Origin is who acts and from where, for the server's receipts.
func Origin(c echo.Context) wire.Origin {
	who := session.Of(c)
	return wire.Origin{UserID: who.UserID, Email: who.Email, Channel: "portal", Address: c.RealIP(), Role: who.Role}
}

// ListParams reads what a list is asked for.
func ListParams(c echo.Context) wire.ListParams {
	return wire.ListParams{
		Q: c.QueryParam("q"), Agent: c.QueryParam("agent"), Tier: c.QueryParam("tier"), Tool: c.QueryParam("tool"),
		After: c.QueryParam("after"), Limit: 50,
	}
}
