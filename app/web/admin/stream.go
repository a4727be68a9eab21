package admin

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/app/job"
	"gatehouse/app/order"
	"gatehouse/app/page"
	"gatehouse/app/relay"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/session"
	views "gatehouse/views/admin"
	"gatehouse/views/ui"
)

// What a page keeps up to date.
const (
	topicHome    = "home"
	topicOrders  = "orders"
	topicOrder   = "order"
	topicServers = "servers"
	topicServer  = "server"
	topicJobs    = "jobs"
)

// needed is what the role of the reader must include to be pushed a topic; a page without one has the figure alone.
var needed = map[string]staff.Permission{
	"": staff.Own, topicHome: staff.OrdersRead, topicOrders: staff.OrdersRead, topicOrder: staff.OrdersRead,
	topicServers: staff.ServersRead, topicServer: staff.ServersRead,
	topicJobs: staff.JobsManage,
}

// calm is the least time between two pushes of one page: many customers' notices must not redraw it without end.
const calm = 200 * time.Millisecond

// lookAgain is the usual time between two looks without a notice.
const lookAgain = 15 * time.Second

// newest is what a list shows before a reader narrows it or turns it over; only such a list is pushed anew.
var newest = wanted{Ask: page.Ask{Limit: page.DefaultLimit}}

// live is one open page.
type live struct {
	h     *Handler
	c     echo.Context
	topic string
	id    string
	last  int64 // line of the order that the page has
}

// stream answers GET /admin/stream: what changed of the page that ?topic= and ?id= name.
func (h *Handler) stream(c echo.Context) error {
	p := &live{h: h, c: c, topic: c.QueryParam("topic"), id: c.QueryParam("id")}
	if p.id != "" && uuid.Validate(p.id) != nil {
		return errNotFound
	}
	if need := needed[p.topic]; !may(c, need) {
		return staff.Refused(need)
	}
	s, err := web.SSE(c)
	if err != nil {
		return err
	}
	defer s.Close()
	sub, err := h.Live.SubscribeAll(s.Context())
	if err != nil {
		return err
	}
	defer sub.Close()
	p.last = since(s, c)
	return web.Pump(s, p.looks(s.Context(), sub.C), func(struct{}) error {
		parts, err := p.parts(web.Context(c))
		if err != nil {
			return err
		}
		return s.Swap(p.mark(), parts...)
	})
}

// looks says when to push: at once, after notices that matter, and every now and then.
func (p *live) looks(ctx context.Context, notices <-chan relay.Notice) <-chan struct{} {
	out := make(chan struct{}, 1)
	go func() {
		defer close(out)
		tick := time.NewTicker(cmp.Or(p.h.LookAgain, lookAgain))
		defer tick.Stop()
		for p.tell(ctx, out) && p.wait(ctx, notices, tick.C) {
			if !rest(ctx) {
				return
			}
		}
	}()
	return out
}

func (p *live) tell(ctx context.Context, out chan<- struct{}) bool {
	select {
	case out <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// wait returns true when the page should be looked at again, false when it is gone.
func (p *live) wait(ctx context.Context, notices <-chan relay.Notice, tick <-chan time.Time) bool {
	for {
		select {
		case <-ctx.Done():
			return false
		case <-tick:
			return true
		case n, ok := <-notices:
			if !ok {
				return false // the browser connects again and gets the present state
			}
			if p.matters(n) {
				return true
			}
		}
	}
}

func rest(ctx context.Context) bool {
	timer := time.NewTimer(calm)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// mark is the id of what was pushed, from which a stream that was cut goes on.
func (p *live) mark() string {
	if p.topic != topicOrder {
		return ""
	}
	return strconv.FormatInt(p.last, 10)
}

func (p *live) matters(n relay.Notice) bool {
	switch n.Kind {
	case relay.KindApproval:
		return true // the figure in the menu
	case relay.KindOrder:
		return p.topic == topicHome || p.topic == topicOrders || p.topic == topicOrder && n.ID == p.id
	case relay.KindServer:
		return p.topic == topicHome || p.topic == topicServers || p.topic == topicServer && n.ID == p.id
	}
	return false
}

// parts is what the page shows now: its live part, and the figure in the menu.
func (p *live) parts(ctx context.Context) ([]templ.Component, error) {
	pending, err := p.h.Inbox.PendingAll(ctx)
	if err != nil {
		return nil, err
	}
	parts := []templ.Component{ui.PushBadge("approvals", pending)}
	body, err := p.body(ctx)
	if err != nil || body == nil {
		return parts, err
	}
	return append(parts, body), nil
}

func (p *live) body(ctx context.Context) (templ.Component, error) {
	switch p.topic {
	case topicHome:
		v, err := p.h.homeProps(p.c)
		return views.PushHome(v), err
	case topicOrder:
		return p.order()
	case topicServer:
		v, err := p.h.oneServer(p.c, server.ID(p.id))
		return views.PushServer(v), err
	case topicJobs:
		v, err := p.h.jobsProps(ctx, views.JobsPath, job.Filter{}, job.Ask{Limit: page.DefaultLimit})
		return views.PushJobs(v), err
	case topicOrders:
		l, err := p.h.orderList(ctx, newest, session.Of(p.c).Zone(), may(p.c, staff.OrdersAct))
		return views.PushTable(views.OrderTable(ctx, l)), err
	case topicServers:
		return p.servers(ctx)
	}
	return nil, nil // a page of which only the figure in the menu is live
}

// servers pushes the counts, and the list as it begins.
func (p *live) servers(ctx context.Context) (templ.Component, error) {
	l, err := p.h.serverList(ctx, newest)
	if err != nil {
		return nil, err
	}
	m, err := p.h.serverMap(ctx, "")
	return views.PushServers(m, views.ServerTable(ctx, l)), err
}

// maxFresh is the most lines that one push holds; the next one brings the rest.
const maxFresh = 5 * order.MaxLines

// order pushes the stepper and the lines that the page does not have yet.
func (p *live) order() (templ.Component, error) {
	v, err := p.h.orderPage(p.c, order.ID(p.id))
	if err != nil {
		return nil, err
	}
	var fresh []ui.LogLine
	for len(fresh) < maxFresh {
		some, err := p.h.Orders.Lines(p.c.Request().Context(), order.ID(p.id), order.LineFilter{After: p.last})
		if err != nil {
			return nil, err
		}
		if len(some) > 0 {
			p.last = some[len(some)-1].ID
		}
		fresh = append(fresh, logLines(web.Context(p.c), some)...)
		if len(some) < order.MaxLines {
			break
		}
	}
	return views.PushOrder(v, fresh), nil
}

// since is the last line that the page has: the one it was pushed last, else the one it was loaded with.
func since(s *web.Stream, c echo.Context) int64 {
	for _, v := range []string{s.LastID(), c.QueryParam("after")} {
		if n, err := strconv.ParseInt(v, 10, 64); err == nil {
			return n
		}
	}
	return 0
}
