package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/billing"
	"gatehouse/app/page"
	"gatehouse/app/usage"
	"gatehouse/app/web/session"
)

// Usage reads what a customer used; usage.Reader does.
type Usage interface {
	Overview(ctx context.Context, of account.CustomerID, span usage.Span, at time.Time) (usage.Overview, error)
	Hours(ctx context.Context, of account.CustomerID, f usage.Filter, after string, limit int) (lines []usage.Line, next string, err error)
}

// counts are sums. The tokens are in the first four, each counted once.
type counts struct {
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	Requests   int64 `json:"requests"`
	Estimated  int64 `json:"estimated_requests"`
	EstInput   int64 `json:"estimated_input"` // part of input
	EstOutput  int64 `json:"estimated_output"`
	Searches   int64 `json:"searches"`
	Fetches    int64 `json:"fetches"`
}

func countsOf(c usage.Counts) counts {
	return counts{
		Input: c.Input, Output: c.Output, CacheRead: c.CacheRead, CacheWrite: c.CacheWrite, Requests: c.Requests,
		Estimated: c.Estimated, EstInput: c.EstInput, EstOutput: c.EstOutput, Searches: c.Searches, Fetches: c.Fetches,
	}
}

// usageLine is what an agent used of a model in a step or an hour.
type usageLine struct {
	At     time.Time `json:"at"`
	Agent  string    `json:"agent"`
	Parent string    `json:"parent"`
	Model  string    `json:"model"`
	Key    usage.Key `json:"key"`
	counts
}

func linesOf(lines []usage.Line) []usageLine {
	all := make([]usageLine, len(lines))
	for i, l := range lines {
		all[i] = usageLine{At: l.At.UTC(), Agent: l.Agent, Parent: l.Parent, Model: l.Model, Key: l.Key, counts: countsOf(l.Counts)}
	}
	return all
}

// poolNow is the pool of the month that runs.
type poolNow struct {
	Pool     int64         `json:"pool_tokens"`
	Drawn    int64         `json:"drawn_tokens"`
	Beyond   int64         `json:"beyond_tokens"`
	From     time.Time     `json:"from"`
	To       time.Time     `json:"to"`
	Forecast *poolForecast `json:"forecast"` // null: it is too early
}

// poolForecast is how the month ends if the team goes on like this.
type poolForecast struct {
	Total int64      `json:"total_tokens"`
	Ends  *time.Time `json:"pool_ends_at"` // null: it lasts, or is used up already
}

func poolOf(o billing.Overview) *poolNow {
	if !o.Runs() {
		return nil
	}
	d := o.Draft
	p := &poolNow{
		Pool: d.Pool, Drawn: d.Drawn, Beyond: max(d.Drawn-d.Pool, 0), From: o.Period.From.UTC(), To: o.Period.To.UTC(),
	}
	if o.Outlook.Known {
		p.Forecast = &poolForecast{Total: o.Outlook.Total}
		if at := o.Outlook.Ends.UTC(); !at.IsZero() {
			p.Forecast.Ends = &at
		}
	}
	return p
}

type overview struct {
	Range usage.Span  `json:"range"`
	From  time.Time   `json:"from"`
	To    time.Time   `json:"to"`
	Step  string      `json:"step"`
	UpTo  *time.Time  `json:"up_to"` // null: the server has not told yet
	Pool  *poolNow    `json:"pool"`  // null: no month runs
	Total counts      `json:"total"`
	Items []usageLine `json:"items"`
}

// usage answers GET customer/usage.
func (h *handler) usage(c echo.Context) error {
	zone := session.Of(c).Zone()
	at := h.Now().In(zone)
	start, _, err := page.Days(c.QueryParam("day"), "", zone)
	if err != nil {
		return err
	}
	if !start.IsZero() {
		at = start.In(zone)
	}
	o, err := h.Usage.Overview(c.Request().Context(), customerOf(c), usage.Span(c.QueryParam("range")), at)
	if err != nil {
		return err
	}
	out := overview{Range: o.Span, From: o.From.UTC(), To: o.To.UTC(), Step: o.Step, Items: linesOf(o.Lines)}
	if !o.UpTo.IsZero() {
		out.UpTo = &o.UpTo
	}
	var total usage.Counts
	for _, l := range o.Lines {
		total = total.Plus(l.Counts)
	}
	out.Total = countsOf(total)
	month, err := h.Bills.Overview(c.Request().Context(), customerOf(c))
	if err != nil {
		return err
	}
	out.Pool = poolOf(month)
	return c.JSON(http.StatusOK, out)
}

// usageBreakdown answers GET customer/usage/breakdown.
func (h *handler) usageBreakdown(c echo.Context) error {
	ask, err := limited(c)
	if err != nil {
		return err
	}
	if ask.Limit == 0 {
		ask.Limit = page.DefaultLimit
	}
	from, to, err := daysOf(c, h.Now().In(session.Of(c).Zone()))
	if err != nil {
		return err
	}
	f := usage.Filter{From: from, To: to, Agent: c.QueryParam("agent"), Model: c.QueryParam("model")}
	lines, next, err := h.Usage.Hours(c.Request().Context(), customerOf(c), f, ask.After, ask.Limit)
	if err != nil {
		return err
	}
	out := struct {
		Items []usageLine `json:"items"`
		Next  *string     `json:"next"`
	}{Items: linesOf(lines)}
	if next != "" {
		out.Next = &next
	}
	return c.JSON(http.StatusOK, out)
}

// daysOf are the days that a request names in the zone of now; by itself it is the month of now.
func daysOf(c echo.Context, now time.Time) (from, to time.Time, err error) {
	_, from, to = usage.Month.Bounds(now)
	start, end, err := page.Days(c.QueryParam("from"), c.QueryParam("to"), now.Location())
	if !start.IsZero() {
		from = start
	}
	if !end.IsZero() {
		to = end
	}
	return from, to, err
}
