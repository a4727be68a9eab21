package portal

import (
	"cmp"

	"github.com/labstack/echo/v4"

	"gatehouse/app/web"
)

// stream answers GET /app/stream: everything that changes on one open page. ?on= says what the page shows.
func (p *Portal) stream(c echo.Context) error {
	s, err := web.SSE(c)
	if err != nil {
		return err
	}
	defer s.Close()
	sub, err := p.Live.Subscribe(s.Context(), string(customer(c)))
	if err != nil {
		return err
	}
	defer sub.Close()
	f := p.newFeed(c, s)
	go f.run(sub)
	defer f.end(s)
	return web.Pump(s, f.out, func(m push) error { return s.Swap(m.id, m.parts...) })
}

// end waits until nothing touches the request any more.
func (f *feed) end(s *web.Stream) {
	s.Close()
	for range f.out { //nolint:revive // what was not read any more is dropped
	}
}

// topicOf reads what a page shows. lastID is where a stream that was cut goes on; empty: as the address says.
func (p *Portal) topicOf(c echo.Context, lastID string) topic {
	of := customer(c)
	switch c.QueryParam("on") {
	case "chat":
		return p.newChatTopic(c, of, lastID)
	case "approvals":
		return newInboxTopic(p, c, of, lastID)
	case "approval":
		return &cardTopic{p: p, of: of, id: c.QueryParam("id"), shown: cmp.Or(lastID, c.QueryParam("at"))}
	case "edit":
		return &cardTopic{p: p, of: of, id: c.QueryParam("id"), edit: true}
	case "home":
		return p.homePanel(c, of)
	case "run":
		return p.runPanel(c, of, c.QueryParam("id"))
	case "activity":
		return p.activityPanel(c, of)
	case "agents":
		return p.agentsPanel(c, of)
	case "agent":
		return p.agentPanel(c, of, c.QueryParam("id"))
	case "inside":
		return p.insidePanel(c, of)
	case "server":
		return p.serverPanel(c, of)
	}
	return still{}
}

// still is a page with nothing of its own to push.
type still struct{ noEvents }
