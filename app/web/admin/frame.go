package admin

import (
	"github.com/labstack/echo/v4"

	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

// Frame is what every page of the console shows around its content; stream names what it keeps up to date. Pages of
// other packages that stand in the console use it too.
func Frame(c echo.Context, title i18n.Key, stream string, pending int) layout.Frame {
	ctx, who := web.Context(c), session.Of(c)
	item := func(path, icon, key string, label i18n.Key) ui.NavItem {
		return ui.NavItem{Label: i18n.T(ctx, label), Href: path, Icon: icon, Key: key}
	}
	approvals := item(views.ApprovalsPath, "hand", "g a", "admin.nav.approvals")
	approvals.ID, approvals.Badge = "approvals", pending
	return layout.Frame{
		Title: i18n.T(ctx, title), User: layout.User{Name: who.Email, Of: i18n.T(ctx, "admin.of")},
		Nav: []ui.NavItem{
			item(views.HomePath, "home", "g h", "admin.nav.home"),
			item(views.OrdersPath, "receipt", "g o", "admin.nav.orders"),
			item(views.ServersPath, "server", "g s", "admin.nav.servers"),
			item(views.CustomersPath, "team", "g c", "admin.nav.customers"),
			approvals,
			item(views.KeysPath, "lock", "g k", "admin.nav.keys"),
		},
		Home: views.HomePath, Stream: stream, SignOut: views.SignOutPath, SignIn: views.SignInPath, Wide: true,
	}
}
