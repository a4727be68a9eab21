package usage

import (
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/usage"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/usage"
)

// breakdown answers GET /app/usage/breakdown: what was used, hour by hour.
func (p *Pages) breakdown(c echo.Context) error {
	f, b, err := p.narrowed(c)
	if err != nil {
		return err
	}
	ctx, of := c.Request().Context(), frame.Customer(c)
	lines, next, err := p.Usage.Hours(ctx, of, f, b.After, page.DefaultLimit)
	if err != nil {
		return err
	}
	b.Next = next
	for _, l := range lines {
		b.Hours = append(b.Hours, p.hour(ctx, of, l))
	}
	if web.IsPartial(c) {
		return web.Render(c, http.StatusOK, ui.TableResults(views.Table(web.Context(c), b)))
	}
	if b.Agents, b.Models, err = p.choices(ctx, of, f); err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "usage.breakdown")})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.BreakdownPage(outer, b))
}

// narrowed reads what the list is narrowed to: by itself it is this month.
func (p *Pages) narrowed(c echo.Context) (f usage.Filter, b views.Breakdown, err error) {
	zone := session.Of(c).Zone()
	now := p.Now().In(zone)
	_, from, to := usage.Month.Bounds(now)
	b = views.Breakdown{
		Agent: c.QueryParam("agent"), Model: c.QueryParam("model"), From: c.QueryParam("from"), To: c.QueryParam("to"),
		After: c.QueryParam("after"),
	}
	f = usage.Filter{From: from, To: to, Agent: b.Agent, Model: b.Model}
	start, end, err := page.Days(b.From, b.To, zone)
	if err != nil {
		return f, b, err
	}
	if b.From != "" {
		f.From = start
	}
	if b.To != "" {
		f.To = end
	}
	if b.From == "" && f.To.Before(f.From) {
		f.From = f.To.AddDate(0, -1, 0)
	}
	return f, b, nil
}

// choices are the agents and models of the time that is shown.
func (p *Pages) choices(ctx context.Context, of account.CustomerID, f usage.Filter) (agents, models []string, err error) {
	o, err := p.Usage.Overview(ctx, of, usage.Month, f.To.Add(-time.Second))
	if err != nil {
		return nil, nil, err
	}
	for _, l := range o.Lines {
		if !slices.Contains(agents, l.Agent) {
			agents = append(agents, l.Agent)
		}
		if !slices.Contains(models, l.Model) {
			models = append(models, l.Model)
		}
	}
	slices.Sort(agents)
	slices.Sort(models)
	return agents, models, nil
}

func (p *Pages) hour(ctx context.Context, of account.CustomerID, l usage.Line) views.Hour {
	h := views.Hour{
		At: l.At, Agent: l.Agent, Parent: l.Parent, Key: string(l.Key), Model: l.Model, AgentName: p.name(ctx, of, l.Agent),
		Amount: amount(l.Counts),
	}
	if l.Parent != "" {
		h.ForAgent = p.name(ctx, of, l.Parent)
	}
	return h
}

// columns of the file. They are the same in every language, for programs that read it.
var columns = []string{
	"hour_utc", "agent", "for_agent", "model", "key", "requests", "input_tokens", "cache_read_tokens", "cache_write_tokens",
	"output_tokens",
	"estimated_requests", "estimated_input_tokens", "estimated_output_tokens", "searches", "fetches",
}

// stretch is how long a browser may take for one stretch of the file.
const stretch = time.Minute

// download answers GET /app/usage/breakdown.csv: the whole list as it is narrowed.
func (p *Pages) download(c echo.Context) error {
	f, b, err := p.narrowed(c)
	if err != nil {
		return err
	}
	out := csv.NewWriter(c.Response())
	for first := true; first || b.After != ""; first = false {
		lines, next, err := p.Usage.Hours(c.Request().Context(), frame.Customer(c), f, b.After, page.MaxLimit)
		if err != nil {
			return err
		}
		if first {
			head := c.Response().Header()
			head.Set(echo.HeaderContentType, "text/csv; charset=utf-8")
			head.Set(echo.HeaderContentDisposition, `attachment; filename="usage-`+p.Now().UTC().Format(time.DateOnly)+`.csv"`)
			c.Response().WriteHeader(http.StatusOK)
			_ = out.Write(columns) // Flush tells of an error
		}
		if err := web.Allow(c, stretch); err != nil {
			return err
		}
		for _, l := range lines {
			_ = out.Write(cells(l))
		}
		if out.Flush(); out.Error() != nil {
			return fmt.Errorf("write usage: %w", out.Error())
		}
		b.After = next
	}
	return nil
}

func cells(l usage.Line) []string {
	row := []string{
		l.At.UTC().Format(time.RFC3339), audit.Inert(l.Agent), audit.Inert(l.Parent), audit.Inert(l.Model), string(l.Key),
	}
	for _, n := range []int64{
		l.Requests, l.Input, l.CacheRead, l.CacheWrite, l.Output, l.Estimated, l.EstInput, l.EstOutput, l.Searches, l.Fetches,
	} {
		row = append(row, strconv.FormatInt(n, 10))
	}
	return row
}
