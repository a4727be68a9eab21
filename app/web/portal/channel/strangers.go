package channel

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"

	views "gatehouse/views/portal/channel"
)

// perPage is how many strangers a page shows.
const perPage = 25

// strangers answers GET /app/channels/people: who wrote to a channel that is open to everybody.
func (p *Pages) strangers(c echo.Context) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	ch, err := p.found(ctx, c, c.QueryParam("channel"))
	title := i18n.T(web.Context(c), "channel.title")
	if frame.IsAway(err) {
		return p.Frames.Away(c, title)
	}
	if err != nil {
		return err
	}
	if ch == nil {
		return web.SeeOther(c, portal.Channels)
	}
	asked := wire.ChannelStrangersParams{
		Channel: ch.Name, State: wire.StrangerState(c.QueryParam("state")), Limit: perPage, After: c.QueryParam("after"),
	}
	got, err := p.Channels.Strangers(ctx, frame.Customer(c), asked)
	if frame.IsAway(err) {
		return p.Frames.Away(c, title)
	}
	if err != nil {
		return err
	}
	props := views.Strangers{
		Channel: ch.Name, State: string(asked.State), Next: got.Next, Waiting: ch.Wrote.Person,
		Here: views.PathOfStrangers(ch.Name, string(asked.State), ""),
	}
	if props.Signs.Server, props.Signs.Config, err = signing.BoundTo(c, p.Frames, p.Team); err != nil {
		return err
	}
	for _, s := range got.Items {
		props.Items = append(props.Items, strangerOf(*ch, s))
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "channel.strangers_title", "name",
		views.TitleOf(web.Context(c), ch.Name))})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.StrangersPage(outer, props))
}

// strangerOf is a stranger on the page, with what can be done as the channel was read.
func strangerOf(ch wire.Channel, s wire.ChannelStranger) views.Stranger {
	of := func(do wire.ChannelDo) string {
		return act(wire.ChannelAct{Do: do, Channel: ch.Name, Person: s.ID, Version: ch.Version})
	}
	return views.Stranger{
		ID: s.ID, Address: s.Address, Name: s.Name, State: string(s.State), Session: s.Session, Told: s.Told, Messages: s.Messages,
		First: s.First, Last: s.Last, Since: s.Since,
		Take: of(wire.ChannelDoTake), Back: of(wire.ChannelDoBack), Block: of(wire.ChannelDoBlock), Erase: of(wire.ChannelDoErase),
		Answer: of(wire.ChannelDoWrite),
	}
}

// guestsOf is how a channel deals with strangers; nil: none ever wrote, and none may.
func guestsOf(ch wire.Channel) *views.Guests {
	n := ch.Wrote
	if ch.Policy != wire.ChannelOpen && n == (wire.StrangerCounts{}) {
		return nil
	}
	return &views.Guests{
		Replies: ch.Strangers.Replies, Talking: n.Talking, Person: n.Person, Out: n.Out, Erased: n.Erased, LastErased: n.LastErased,
		PerHour: wire.MaxStrangerHour, PerDay: wire.MaxStrangerDay, Tokens: wire.MaxStrangerTokens, AllTokens: wire.MaxStrangersTokens,
	}
}

// backTo is where an act leads: to the list of strangers that it was made on, or to the channels.
func backTo(c echo.Context) string {
	to, err := url.Parse(c.FormValue("back"))
	if err != nil || to.Path != views.StrangersPath || to.Host != "" || to.Scheme != "" {
		return portal.Channels
	}
	return views.PathOfStrangers(to.Query().Get("channel"), to.Query().Get("state"), "")
}
