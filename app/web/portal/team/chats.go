package team

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/team"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/team"
)

// chatsProps is how conversations are kept, as the page shows it.
func chatsProps(set wire.Chats) views.ChatsProps {
	p := views.ChatsProps{Queue: string(set.Queue), Daily: set.Daily}
	if set.IdleHours > 0 {
		p.Idle = strconv.Itoa(set.IdleHours)
	}
	return p
}

// saveChats answers POST /app/agents/limits/conversations: what becomes of messages that come while the team is at work, and when a
// conversation is over.
func (p *Pages) saveChats(c echo.Context) error {
	typed := views.ChatsProps{
		Queue: c.FormValue("queue"), Idle: strings.TrimSpace(c.FormValue("idle_hours")), Daily: c.FormValue("daily") != "",
	}
	was, err := p.Team.State(c.Request().Context(), frame.Customer(c))
	if err != nil {
		return err
	}
	set := was.Config.Chats // how long a burst lasts stays as it is
	set.Queue, set.Daily, set.IdleHours = wire.QueueMode(typed.Queue), typed.Daily, 0
	if typed.Idle != "" {
		if set.IdleHours, err = strconv.Atoi(typed.Idle); err != nil || set.IdleHours == 0 {
			set.IdleHours = -1 // no such number: it is refused with the others
		}
	}
	_, err = signing.Change(c, p.Team, team.Chats(set))
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		typed.Problems = f.Fields
		return p.showLimits(c, http.StatusUnprocessableEntity, limitsTyped{chats: &typed})
	}
	if err != nil {
		return err
	}
	p.said(c, "portal.chats.saved")
	return frame.GoTo(c, portal.Limits)
}
