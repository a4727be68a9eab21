package admin

import (
	"github.com/labstack/echo/v4"

	"gatehouse/app/staff"
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
	f := layout.Frame{
		Title: i18n.T(ctx, title), User: layout.User{Name: who.Email, Of: i18n.T(ctx, "admin.of")},
		Nav:  menu(c, pending),
		Home: views.HomePath, Stream: stream, SignOut: views.SignOutPath, SignIn: views.SignInPath, Account: views.ProfilePath, Wide: true,
	}
	if told := web.TakeFlash(c); told != nil {
		f.Toasts = []ui.Toast{{Kind: told.Kind, Text: told.Text}}
	}
	return f
}

// places are the menu, each with what the role of the reader must include.
var places = []struct {
	needs     staff.Permission
	path      string
	icon, key string
	label     i18n.Key
}{
	{staff.OrdersRead, views.HomePath, "home", "g h", "admin.nav.home"},
	{staff.OrdersRead, views.OrdersPath, "receipt", "g o", "admin.nav.orders"},
	{staff.ServersRead, views.ServersPath, "server", "g s", "admin.nav.servers"},
	{staff.PoolManage, views.PoolPath, "server", "g p", "admin.nav.pool"},
	{staff.ProvidersManage, views.ProvidersPath, "link", "g v", "provider.title"},
	{staff.CustomersRead, views.CustomersPath, "team", "g c", "admin.nav.customers"},
	{staff.BillingRead, views.BillingPath, "receipt", "g b", "bills.title"},
	{staff.BillingRead, views.PricesPath, "sliders", "g m", "price.title"},
	{staff.ApprovalsRead, views.ApprovalsPath, "hand", "g a", "admin.nav.approvals"},
	{staff.StaffManage, views.StaffPath, "person", "g f", "staff.title"},
	{staff.ApprovalsDecide, views.KeysPath, "lock", "g k", "admin.nav.keys"},
	{staff.Own, views.TokensPath, "link", "g t", "admin.nav.tokens"},
	{staff.JobsManage, views.JobsPath, "activity", "g j", "admin.nav.jobs"},
	{staff.AnalyticsRead, views.UsagePath, "bars", "g u", "admin.nav.usage"},
	{staff.AnalyticsRead, views.MarginsPath, "activity", "g n", "margins.nav"},
	{staff.SettingsManage, views.SettingsPath, "sliders", "g e", "console.settings.title"},
	{staff.AuditRead, views.AuditPath, "eye", "g r", "admin.nav.audit"},
}

// menu is what the reader may open; pending stands beside the requests.
func menu(c echo.Context, pending int) []ui.NavItem {
	var items []ui.NavItem
	for _, p := range places {
		if !may(c, p.needs) {
			continue
		}
		item := ui.NavItem{Label: i18n.T(web.Context(c), p.label), Href: p.path, Icon: p.icon, Key: p.key}
		if p.path == views.ApprovalsPath {
			item.ID, item.Badge = "approvals", pending
		}
		items = append(items, item)
	}
	return items
}
