package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/schedule"
	"gatehouse/app/web/jsonbody"
	"gatehouse/app/web/once"
)

// Schedules has the customer's server keep what the team is to do at its time; schedule.Service does.
type Schedules interface {
	List(ctx context.Context, of account.CustomerID, p wire.SchedulesParams) (wire.SchedulesResult, error)
	Find(ctx context.Context, of account.CustomerID, id string) (wire.Schedule, error)
	Ticks(ctx context.Context, of account.CustomerID, p wire.ScheduleTicksParams) (wire.ScheduleTicks, error)
	Create(ctx context.Context, of account.CustomerID, once string, p wire.ScheduleCreate) (wire.Schedule, error)
	Edit(ctx context.Context, of account.CustomerID, p wire.ScheduleEdit) (wire.Schedule, error)
	Due(ctx context.Context, of account.CustomerID, from, until time.Time) (wire.SchedulesDue, error)
	Set(ctx context.Context, of account.CustomerID, p wire.ScheduleSettings) (wire.ScheduleSettings, error)
	Do(ctx context.Context, of account.CustomerID, id string, act schedule.Act, by wire.Origin) (wire.Schedule, error)
	Run(ctx context.Context, of account.CustomerID, once, id string, by wire.Origin) (wire.ScheduleTick, error)
	Webhook(ctx context.Context, of account.CustomerID, c wire.WebhookChange) (wire.Schedule, error)
}

// tick is one due time and what became of it.
type tick struct {
	Due     time.Time        `json:"due"`
	Verdict wire.TickVerdict `json:"verdict"`
	Reason  string           `json:"reason"`
	RunID   *string          `json:"run_id"`
	Outcome wire.TickOutcome `json:"outcome"`
	At      time.Time        `json:"at"`

	Delivery *scheduleDelivery `json:"delivery"`
}

func tickOf(t wire.ScheduleTick) tick {
	return tick{
		Due: t.Due, Verdict: t.Verdict, Reason: t.Reason, RunID: some(t.RunID), Outcome: t.Outcome, At: t.At,
		Delivery: deliveryOf(t.Delivery),
	}
}

// planned is a schedule.
type planned struct {
	ID        string                  `json:"id"`
	Agent     string                  `json:"agent"`
	Kind      wire.ScheduleKind       `json:"kind"`
	Spec      string                  `json:"spec"`
	Says      string                  `json:"says"`
	TimeZone  string                  `json:"time_zone"`
	Title     string                  `json:"title"`
	Task      string                  `json:"task"`
	CatchUp   wire.CatchUp            `json:"catch_up"`
	Deliver   wire.ScheduleDeliver    `json:"deliver"`
	State     wire.ScheduleState      `json:"state"`
	Why       string                  `json:"why"`
	Next      *time.Time              `json:"next"`
	Last      *tick                   `json:"last"`
	Failed    int                     `json:"failed"`
	Version   int64                   `json:"version"`
	Condition *wire.ScheduleCondition `json:"condition"`
	Webhook   *scheduleWebhook        `json:"webhook"`
	CreatedAt time.Time               `json:"created_at"`
	UpdatedAt time.Time               `json:"updated_at"`
}

func plannedOf(s wire.Schedule) planned {
	v := planned{
		ID: s.ID, Agent: s.Agent, Kind: s.Kind, Spec: s.Spec, Says: s.Says, TimeZone: s.TimeZone, Title: s.Title, Task: s.Task,
		CatchUp: s.CatchUp, Deliver: s.Deliver, State: s.State, Why: s.Why, Failed: s.Failed, Version: s.Version, Condition: s.Condition,
		Webhook: webhookOf(s.Webhook), CreatedAt: s.Created, UpdatedAt: s.Updated,
	}
	if !s.Next.IsZero() {
		v.Next = &s.Next
	}
	if s.Last != nil {
		last := tickOf(*s.Last)
		v.Last = &last
	}
	return v
}

// schedules answers GET schedules.
func (h *handler) schedules(c echo.Context) error {
	ask, err := limited(c)
	if err != nil {
		return err
	}
	got, err := h.Schedules.List(c.Request().Context(), customerOf(c), wire.SchedulesParams{
		Q: c.QueryParam("q"), Agent: c.QueryParam("agent"), Kind: wire.ScheduleKind(c.QueryParam("kind")),
		State: wire.ScheduleState(c.QueryParam("state")), After: ask.After, Limit: ask.Limit,
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, wireList(got.Items, got.Next, plannedOf))
}

// wireList is one page of a list that a server gave.
func wireList[T, U any](items []T, next string, each func(T) U) listed[U] {
	l := listed[U]{Items: make([]U, 0, len(items)), Next: some(next)}
	for _, i := range items {
		l.Items = append(l.Items, each(i))
	}
	return l
}

// scheduleRequest is the body of POST schedules.
type scheduleRequest struct {
	Agent     string                  `json:"agent"`
	Kind      wire.ScheduleKind       `json:"kind"`
	Spec      string                  `json:"spec"`
	TimeZone  string                  `json:"time_zone"`
	Title     string                  `json:"title"`
	Task      string                  `json:"task"`
	CatchUp   wire.CatchUp            `json:"catch_up"`
	Deliver   wire.ScheduleDeliver    `json:"deliver"`
	Condition *wire.ScheduleCondition `json:"condition"`
}

// createSchedule answers POST schedules.
func (h *handler) createSchedule(c echo.Context) error {
	var in scheduleRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	s, err := h.Schedules.Create(c.Request().Context(), customerOf(c), once.Key(c.Request()), wire.ScheduleCreate{
		Agent: in.Agent, Kind: in.Kind, Spec: in.Spec, TimeZone: in.TimeZone, Title: in.Title, Task: in.Task, CatchUp: in.CatchUp,
		Deliver: in.Deliver, Condition: in.Condition, By: originOf(c),
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, plannedOf(s))
}

// scheduleSettings is what holds for all schedules.
type scheduleSettings struct {
	Paused    bool   `json:"paused"`
	QuietFrom string `json:"quiet_from"`
	QuietTo   string `json:"quiet_to"`
}

// settings answers GET schedules/settings.
func (h *handler) scheduleSettings(c echo.Context) error {
	got, err := h.Schedules.List(c.Request().Context(), customerOf(c), wire.SchedulesParams{Limit: 1})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, scheduleSettings{got.Settings.Paused, got.Settings.QuietFrom, got.Settings.QuietTo})
}

// setSchedules answers PUT schedules/settings: all of them are paused or go on, and the quiet hours.
func (h *handler) setSchedules(c echo.Context) error {
	var in scheduleSettings
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	got, err := h.Schedules.Set(c.Request().Context(), customerOf(c), wire.ScheduleSettings{
		Paused: in.Paused, QuietFrom: in.QuietFrom, QuietTo: in.QuietTo, By: originOf(c),
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, scheduleSettings{got.Paused, got.QuietFrom, got.QuietTo})
}

// scheduleDue is a time at which a schedule is due.
type scheduleDue struct {
	Schedule string    `json:"schedule"`
	Title    string    `json:"title"`
	Agent    string    `json:"agent"`
	Due      time.Time `json:"due"`
}

// schedulesDue answers GET schedules/due: what is coming, for a calendar.
func (h *handler) schedulesDue(c echo.Context) error {
	from, errFrom := time.Parse(time.RFC3339, c.QueryParam("from"))
	until, errUntil := time.Parse(time.RFC3339, c.QueryParam("until"))
	if errFrom != nil || errUntil != nil {
		return fault.Bad(map[string]string{"from": "Send from and until as times such as 2026-11-01T00:00:00Z."})
	}
	got, err := h.Schedules.Due(c.Request().Context(), customerOf(c), from, until)
	if err != nil {
		return err
	}
	out := struct {
		Items []scheduleDue `json:"items"`
		More  bool          `json:"more"`
	}{Items: []scheduleDue{}, More: got.More}
	for _, d := range got.Items {
		out.Items = append(out.Items, scheduleDue(d))
	}
	return c.JSON(http.StatusOK, out)
}

// schedule answers GET schedules/{id}.
func (h *handler) schedule(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	s, err := h.Schedules.Find(c.Request().Context(), customerOf(c), id)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, plannedOf(s))
}

// scheduleChange is the body of PATCH schedules/{id}: what is left out stays as it is.
type scheduleChange struct {
	Version   int64                   `json:"version"`
	State     wire.ScheduleState      `json:"state"` // active or paused
	Agent     *string                 `json:"agent"`
	Kind      *wire.ScheduleKind      `json:"kind"`
	Spec      *string                 `json:"spec"`
	TimeZone  *string                 `json:"time_zone"`
	Title     *string                 `json:"title"`
	Task      *string                 `json:"task"`
	CatchUp   *wire.CatchUp           `json:"catch_up"`
	Deliver   *wire.ScheduleDeliver   `json:"deliver"`
	Condition *wire.ScheduleCondition `json:"condition"`
}

// changes says whether something besides the state is to change.
func (s scheduleChange) changes() bool {
	s.State, s.Version = "", 0
	return s != (scheduleChange{})
}

var scheduleActs = map[wire.ScheduleState]schedule.Act{wire.ScheduleActive: schedule.Resume, wire.SchedulePaused: schedule.Pause}

// changeSchedule answers PATCH schedules/{id}: what is set, or whether it is paused.
func (h *handler) changeSchedule(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	var in scheduleChange
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	act, known := scheduleActs[in.State]
	if in.State != "" && !known || in.changes() == (in.State != "") {
		return fault.Bad(map[string]string{"state": "Send either the state, active or paused, or what else is to change."})
	}
	ctx, of := c.Request().Context(), customerOf(c)
	var s wire.Schedule
	if known {
		s, err = h.Schedules.Do(ctx, of, id, act, originOf(c))
	} else {
		s, err = h.Schedules.Edit(ctx, of, wire.ScheduleEdit{
			ID: id, Version: in.Version, Agent: in.Agent, Kind: in.Kind, Spec: in.Spec, TimeZone: in.TimeZone, Title: in.Title,
			Task: in.Task, CatchUp: in.CatchUp, Deliver: in.Deliver, Condition: in.Condition, By: originOf(c),
		})
	}
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, plannedOf(s))
}

// deleteSchedule answers DELETE schedules/{id}: its history stays for a while.
func (h *handler) deleteSchedule(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	if _, err := h.Schedules.Do(c.Request().Context(), customerOf(c), id, schedule.Delete, originOf(c)); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// scheduleTicks answers GET schedules/{id}/ticks.
func (h *handler) scheduleTicks(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	ask, err := limited(c)
	if err != nil {
		return err
	}
	p := wire.ScheduleTicksParams{ID: id, After: ask.After, Limit: ask.Limit}
	got, err := h.Schedules.Ticks(c.Request().Context(), customerOf(c), p)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, wireList(got.Items, got.Next, tickOf))
}

// runSchedule answers POST schedules/{id}/run.
func (h *handler) runSchedule(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	if err := jsonbody.None(c); err != nil {
		return err
	}
	t, err := h.Schedules.Run(c.Request().Context(), customerOf(c), once.Key(c.Request()), id, originOf(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, tickOf(t))
}
