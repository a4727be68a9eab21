package frame

import (
	"github.com/labstack/echo/v4"

	"gatehouse/app/web"
	"gatehouse/app/web/inbox/card"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Badge is the id of the menu entry that counts what waits.
const Badge = "approvals"

// menu lists the sections of the portal; a new section adds its line here.
func menu(c echo.Context, pending int) []ui.NavItem {
	ctx := web.Context(c)
	item := func(path, icon, key string, label i18n.Key) ui.NavItem {
		return ui.NavItem{Label: i18n.T(ctx, label), Href: path, Icon: icon, Key: key, ID: icon}
	}
	waits := item(card.Portal, "hand", "a", "portal.nav.approvals")
	waits.ID, waits.Badge = Badge, pending
	return []ui.NavItem{
		item(portal.Home, "home", "h", "portal.nav.home"),
		item(portal.Chat, "chat", "c", "portal.nav.chat"),
		waits,
		item(portal.Activity, "activity", "r", "portal.nav.activity"),
		item(portal.Conversations, "search", "v", "portal.nav.conversations"),
		item(portal.Agents, "team", "t", "portal.nav.agents"),
		item(portal.Permissions, "sliders", "p", "portal.nav.permissions"),
		item(portal.Credentials, "lock", "k", "portal.nav.credentials"),
		item(portal.Server, "server", "s", "portal.nav.server"),
	}
}
