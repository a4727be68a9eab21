package usage

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/usage"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"

	views "gatehouse/views/portal/usage"
)

// overview answers GET /app/usage: what was used in a day, week or month.
func (p *Pages) overview(c echo.Context) error {
	ctx, of := c.Request().Context(), frame.Customer(c)
	zone, now := session.Of(c).Zone(), p.Now()
	at := now.In(zone)
	if day, err := time.ParseInLocation(time.DateOnly, c.QueryParam("day"), zone); err == nil && day.Before(at) {
		at = day
	}
	o, err := p.Usage.Overview(ctx, of, usage.Span(c.QueryParam("range")), at)
	if err != nil {
		return err
	}
	props := p.props(ctx, of, o, now)
	if props.Low, err = frame.Low(ctx, p.Pools, of); err != nil {
		return err
	}
	if props.Pool, err = p.pool(ctx, of); err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "usage.title"), Topic: "usage"})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.Page(outer, props))
}

func (p *Pages) props(ctx context.Context, of account.CustomerID, o usage.Overview, now time.Time) views.Props {
	props := views.Props{
		Span: string(o.Span), From: o.From, Last: o.To.AddDate(0, 0, -1), UpTo: o.UpTo,
		Earlier: spanPath(o.Span, o.From.AddDate(0, 0, -1)),
	}
	if o.To.Before(now) {
		props.Later = spanPath(o.Span, o.To)
	}
	steps := usage.Sums(o.Lines, func(l usage.Line) int64 { return l.At.Unix() })
	for _, at := range o.Starts(now) {
		props.Steps = append(props.Steps, views.Step{At: at, Hour: o.Step == "hour", Amount: amount(steps[at.Unix()])})
	}
	var total usage.Counts
	for _, l := range o.Lines {
		total = total.Plus(l.Counts)
	}
	props.Total = amount(total)
	props.Agents = p.agents(ctx, of, o.Lines)
	models := usage.Sums(o.Lines, func(l usage.Line) string { return l.Model })
	for _, m := range usage.Most(models) {
		keys := keysOf(o.Lines, func(l usage.Line) bool { return l.Model == m })
		props.Models = append(props.Models, views.Share{Name: m, Keys: keys, Amount: amount(models[m])})
	}
	return props
}

// agents are the shares of agents; a sub-agent stands apart for each agent that it worked for.
func (p *Pages) agents(ctx context.Context, of account.CustomerID, lines []usage.Line) (all []views.Share) {
	const between = "\x00" // stands in no name
	sums := usage.Sums(lines, func(l usage.Line) string { return l.Agent + between + l.Parent })
	seen := map[string]usage.Line{}
	for _, l := range lines {
		seen[l.Agent+between+l.Parent] = l
	}
	for _, k := range usage.Most(sums) {
		who := seen[k]
		s := views.Share{
			Name: p.name(ctx, of, who.Agent), Amount: amount(sums[k]),
			Keys: keysOf(lines, func(l usage.Line) bool { return l.Agent == who.Agent && l.Parent == who.Parent }),
		}
		if who.Parent != "" {
			s.For = p.name(ctx, of, who.Parent)
		}
		all = append(all, s)
	}
	return all
}

// name is what people call an agent; programs on the server that ask without one have a dash.
func (p *Pages) name(ctx context.Context, of account.CustomerID, agent string) string {
	if agent == "-" {
		return i18n.T(ctx, "usage.programs")
	}
	if a := p.Agents.Agent(ctx, of, agent); a.Name != "" {
		return a.Name
	}
	return agent
}

func keysOf(lines []usage.Line, which func(usage.Line) bool) (keys []string) {
	for _, l := range lines {
		if which(l) && !slices.Contains(keys, string(l.Key)) {
			keys = append(keys, string(l.Key))
		}
	}
	slices.Sort(keys)
	return keys
}

func spanPath(s usage.Span, day time.Time) string {
	return portal.Usage + "?" + url.Values{"range": {string(s)}, "day": {day.Format(time.DateOnly)}}.Encode()
}

func amount(c usage.Counts) views.Amount {
	return views.Amount{
		Requests: c.Requests, Input: c.Input, CacheRead: c.CacheRead, CacheWrite: c.CacheWrite, Output: c.Output,
		Estimated: c.EstInput + c.EstOutput, Searches: c.Searches, Fetches: c.Fetches,
	}
}
