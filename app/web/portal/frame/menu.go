package frame

import (
	"slices"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox/card"
	"gatehouse/app/web/session"
	"gatehouse/views/help"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"
)

// Badge is the id of the menu entry that counts what waits.
const Badge = "approvals"

// needs is the right that a section needs to be opened: that of the route of its first page, as a test tells.
func needs(section string) account.Right {
	switch section {
	case portal.Chat, portal.Conversations:
		return account.Chat
	case portal.Permissions, portal.Credentials, portal.Billing:
		return account.Manage
	}
	return account.Look
}

// menu lists the sections of the portal; a new section adds its line here.
func menu(c echo.Context, pending int) []ui.NavItem {
	ctx := web.Context(c)
	item := func(path, icon, key string, label i18n.Key) ui.NavItem {
		return ui.NavItem{Label: i18n.T(ctx, label), Href: path, Icon: icon, Key: key, ID: icon}
	}
	waits := item(card.Portal, "hand", "a", "portal.nav.approvals")
	waits.ID, waits.Badge = Badge, pending
	items := []ui.NavItem{
		item(portal.Home, "home", "h", "portal.nav.home"),
		item(portal.Chat, "chat", "c", "portal.nav.chat"),
		waits,
		item(portal.Activity, "activity", "r", "portal.nav.activity"),
		item(portal.Files, "folder", "f", "portal.nav.files"),
		item(portal.Memory, "book", "m", "portal.nav.memory"),
		item(portal.Schedules, "clock", "d", "schedule.nav"),
		item(portal.Conversations, "search", "v", "portal.nav.conversations"),
		item(portal.Channels, "mail", "l", "channel.title"),
		item(portal.Agents, "team", "t", "portal.nav.agents"),
		item(portal.Permissions, "sliders", "p", "portal.nav.permissions"),
		item(portal.Credentials, "lock", "k", "portal.nav.credentials"),
		item(portal.Server, "server", "s", "portal.nav.server"),
		item(portal.Usage, "bars", "u", "portal.nav.usage"),
		item(portal.Billing, "receipt", "b", "portal.nav.billing"),
		item(help.Portal, "info", "e", "portal.nav.help"),
	}
	rights := session.Of(c).Rights()
	return slices.DeleteFunc(items, func(i ui.NavItem) bool { return !rights.May(needs(i.Href)) })
}
