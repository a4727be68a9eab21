package admin

import (
	"cmp"
	"context"
	"net/url"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/app/job"
	"gatehouse/app/page"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
	"gatehouse/views/layout"
	"gatehouse/views/ui"
)

var errQueueAct = fault.New(fault.Invalid, "act", "unknown act on a queue", "You cannot do that with a queue. Nothing was changed.")

// jobs answers GET /admin/jobs.
func (h *Handler) jobs(c echo.Context) error {
	ask, err := job.NewAsk(c.QueryParam("after"), c.QueryParam("limit"))
	if err != nil {
		return err
	}
	f := job.Filter{Queue: c.QueryParam("queue"), Kind: c.QueryParam("kind"), State: job.State(c.QueryParam("state"))}
	p, err := h.jobsProps(c.Request().Context(), c.Request().URL.RequestURI(), f, ask)
	if err != nil {
		return err
	}
	return h.list(c, "job.title", topicJobs, views.JobTable(web.Context(c), p), func(f layout.Frame) templ.Component {
		return views.JobsPage(f, p)
	})
}

// jobsProps is what the page shows; here is its address.
func (h *Handler) jobsProps(ctx context.Context, here string, f job.Filter, ask job.Ask) (views.Jobs, error) {
	p := views.Jobs{Here: here, Queue: f.Queue, Kind: f.Kind}
	p.State = string(f.State)
	of, err := h.Jobs.List(ctx, f, ask)
	if err != nil {
		return p, err
	}
	for _, j := range of.Items {
		p.Items = append(p.Items, jobProps(j))
	}
	if ask.After > 0 {
		p.First = jobsAt(f, ask, "")
	}
	if of.Next != "" {
		p.Next = jobsAt(f, ask, of.Next)
	}
	for _, s := range job.States() {
		p.States = append(p.States, string(s))
	}
	board, err := h.Jobs.Board(ctx)
	p.Kinds = board.Kinds
	for _, q := range board.Queues {
		p.Queues = append(p.Queues, views.Queue{
			Name: q.Name, Paused: q.Paused, Waiting: q.Waiting(), Running: q.Counts[job.Running], Retryable: q.Counts[job.Retryable],
			Dead: q.Counts[job.Discarded], Done: q.Counts[job.Completed],
		})
	}
	return p, err
}

// jobsAt is the address of a page of the list.
func jobsAt(f job.Filter, ask job.Ask, after string) string {
	q := url.Values{}
	setIf(q, "queue", f.Queue)
	setIf(q, "kind", f.Kind)
	setIf(q, "state", string(f.State))
	setIf(q, "after", after)
	if ask.Limit != page.DefaultLimit {
		q.Set("limit", strconv.Itoa(ask.Limit))
	}
	return (&url.URL{Path: views.JobsPath, RawQuery: q.Encode()}).String()
}

func jobProps(j job.Job) views.Job {
	p := views.Job{
		ID: j.ID, Queue: j.Queue, Kind: j.Kind, State: string(j.State), Stopping: j.Stopping, Attempt: j.Attempt, Max: j.Max,
		Created: j.CreatedAt, Started: j.StartedAt, Next: j.NextAt, Ended: j.EndedAt, Retry: j.CanRetry(), Cancel: j.CanCancel(),
	}
	for _, a := range j.Args {
		p.Args = append(p.Args, ui.Pair{Name: a.Name, Value: a.Value, Code: true})
	}
	for _, f := range j.Failures {
		p.Failures = append(p.Failures, views.Failure{At: f.At, Attempt: f.Attempt, Text: f.Text})
	}
	return p
}

// jobAct answers POST /admin/jobs/:id/act.
func (h *Handler) jobAct(c echo.Context) error {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return job.ErrNoJob
	}
	j, err := h.Jobs.Act(c.Request().Context(), id, job.Act(c.FormValue("act")), actorOf(c))
	if err != nil {
		return err
	}
	now := i18n.Key("job.now_retry")
	switch {
	case j.Stopping:
		now = "job.now_stopping"
	case j.State == job.Cancelled:
		now = "job.now_cancelled"
	}
	said(c, now, "job", strconv.FormatInt(j.ID, 10), "kind", views.KindWord(web.Context(c), j.Kind))
	return backToJobs(c)
}

// queueAct answers POST /admin/jobs/queues/:name.
func (h *Handler) queueAct(c echo.Context) error {
	pause, known := map[string]bool{"pause": true, "resume": false}[c.FormValue("act")]
	if !known {
		return errQueueAct
	}
	name := c.Param("name")
	if err := h.Jobs.Pause(c.Request().Context(), name, pause, actorOf(c)); err != nil {
		return err
	}
	now := i18n.Key("job.now_resumed")
	if pause {
		now = "job.now_paused"
	}
	said(c, now, "queue", views.QueueWord(web.Context(c), name))
	return backToJobs(c)
}

// backToJobs leads back to the list as it was narrowed.
func backToJobs(c echo.Context) error {
	next := web.LocalPath(c.FormValue("next"), views.JobsPath)
	if path, _, _ := strings.Cut(next, "?"); path != views.JobsPath {
		next = ""
	}
	return web.SeeOther(c, cmp.Or(next, views.JobsPath))
}
