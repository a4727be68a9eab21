package portal

import (
	"context"
	"errors"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/server"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox/card"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/layout"
	"gatehouse/views/public"
	"gatehouse/views/ui"

	"gatehouse/views/portal"
)

// sheet is what one page says about itself to the frame around it.
type sheet struct {
	title string
	topic string // what the stream keeps up to date; "" for the menu alone
	away  bool   // the server could not be asked just now
	part  bool   // the topic is only a part of the page: when the server is back, the rest has to be loaded anew
	fill  bool   // as high as the window
	wide  bool
}

// frame is what every page of the portal shows around its content.
func (p *Portal) frame(c echo.Context, s sheet) (layout.Frame, error) {
	pending, err := p.Inbox.Pending(c.Request().Context(), customer(c))
	if err != nil {
		return layout.Frame{}, err
	}
	seen, err := p.glimpse(c.Request().Context(), customer(c))
	if err != nil {
		return layout.Frame{}, err
	}
	srv := seen.server
	who := session.Of(c)
	f := layout.Frame{
		Title: s.title, User: layout.User{Name: who.Email, Of: who.Business}, Nav: p.nav(c, pending), Home: portal.Home,
		Stream: streamOf(s.topic), SignOut: public.SignOutPath, SignIn: public.SignInWith(c.Request().URL.RequestURI()),
		Account: portal.Settings, Fill: s.fill, Wide: s.wide,
		Rehearsal: srv.Beat != nil && srv.Beat.Rehearsal,
	}
	if s.away || seen.gone {
		f.Offline = offline(web.Context(c), srv, c.Request().URL.RequestURI())
		f.Stream = awayStream(f.Stream, s.away && (s.topic == "" || s.part))
	}
	return f, nil
}

// serverOf finds the customer's server; a customer whose server is still being set up has an empty one.
func (p *Portal) serverOf(ctx context.Context, of account.CustomerID) (server.Server, error) {
	srv, err := p.Servers.Of(ctx, of)
	if err != nil && fault.Of(err).Kind == fault.NotFound {
		return server.Server{}, nil
	}
	return srv, err
}

func (p *Portal) nav(c echo.Context, pending int) []ui.NavItem {
	ctx := web.Context(c)
	item := func(path, icon, key string, label i18n.Key) ui.NavItem {
		return ui.NavItem{Label: i18n.T(ctx, label), Href: path, Icon: icon, Key: key, ID: icon}
	}
	waits := item(card.Portal, "hand", "a", "portal.nav.approvals")
	waits.ID, waits.Badge = badge, pending
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

// badge is the id of the menu entry that counts what waits.
const badge = "approvals"

// gone says whether a server that was there once cannot be asked now.
func (p *Portal) gone(ctx context.Context, s server.Server) bool {
	return s.Registered() && !p.Live.Linked(ctx, string(s.ID))
}

// offline says what still works while the server is away, and what waits for it.
func offline(ctx context.Context, s server.Server, page string) *ui.Offline {
	return &ui.Offline{
		Since: s.BeatAt, Reload: page,
		Works: []string{i18n.T(ctx, "portal.away.works_approvals"), i18n.T(ctx, "portal.away.works_team")},
		Waits: []string{i18n.T(ctx, "portal.away.waits_messages"), i18n.T(ctx, "portal.away.waits_decisions")},
	}
}

// inboxFrame is the frame for the pages of the inbox.
func (p *Portal) inboxFrame(c echo.Context, title, stream string) (layout.Frame, error) {
	f, err := p.frame(c, sheet{title: title})
	if f.Stream = stream; f.Offline != nil {
		f.Stream = awayStream(stream, false)
	}
	return f, err
}

// awayStream tells the stream that the page says the server is away, and whether it is bare: lacks something that the
// stream does not bring.
func awayStream(stream string, bare bool) string {
	away := "away=1"
	if bare {
		away = "away=bare"
	}
	if strings.Contains(stream, "?") {
		return stream + "&" + away
	}
	return stream + "?" + away
}

// streamOf is the address of the stream for a page; topic may carry parameters of its own.
func streamOf(topic string) string {
	if topic == "" {
		return portal.Stream
	}
	return portal.Stream + "?on=" + topic
}

// ours says whether an error is of our own side. What the server leaves without an answer, refuses or fails at is not: a
// page can do without one part of it.
func ours(err error) bool {
	f := fault.Of(err)
	return err != nil && f.Kind == fault.Internal && f.Code != "server-internal"
}

// isAway says whether the server could not be reached, as opposed to having refused.
func isAway(err error) bool {
	var f *fault.Fault
	return errors.As(err, &f) && f.Kind == fault.Away
}
