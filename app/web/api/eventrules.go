package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/jsonbody"
)

// EventRules is what the API needs of rules on events; hook.Service has it.
type EventRules interface {
	Rules(ctx context.Context, of account.CustomerID) (wire.EventRulesResult, error)
	Rule(ctx context.Context, of account.CustomerID, id string) (wire.EventRule, error)
	Firings(ctx context.Context, of account.CustomerID, p wire.EventFiringsParams) (wire.EventFirings, error)
	ChangeRule(ctx context.Context, of account.CustomerID, c wire.EventRuleChange) (wire.EventRule, error)
}

// eventRule is a rule on events.
type eventRule struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Event     wire.EventKind `json:"event"`
	OfAgent   *string        `json:"of_agent"`
	Outcome   *string        `json:"outcome"`
	Schedule  *string        `json:"schedule"`
	Agent     string         `json:"agent"`
	Task      string         `json:"task"`
	PerHour   int            `json:"per_hour"`
	State     wire.HookState `json:"state"`
	Why       *string        `json:"why"`
	Last      *eventFiring   `json:"last"`
	Version   int64          `json:"version"`
	CreatedAt time.Time      `json:"created_at"`
	UpdatedAt time.Time      `json:"updated_at"`
}

// eventFiring is an event that a rule waited for.
type eventFiring struct {
	At       time.Time         `json:"at"`
	Verdict  wire.EventVerdict `json:"verdict"`
	Reason   string            `json:"reason"`
	RunID    *string           `json:"run_id"`
	Count    int               `json:"count"`
	OfRun    *string           `json:"of_run"`
	OfAgent  *string           `json:"of_agent"`
	Outcome  *string           `json:"outcome"`
	Schedule *string           `json:"schedule"`
}

func firingOf(f wire.EventFiring) eventFiring {
	return eventFiring{
		At: f.At, Verdict: f.Verdict, Reason: f.Reason, RunID: some(f.RunID), Count: f.Count, OfRun: some(f.OfRun),
		OfAgent: some(f.OfAgent), Outcome: some(string(f.Outcome)), Schedule: some(f.Schedule),
	}
}

func eventRuleOf(r wire.EventRule) eventRule {
	v := eventRule{
		ID: r.ID, Name: r.Name, Event: r.When.Event, OfAgent: some(r.When.OfAgent), Outcome: some(string(r.When.Outcome)),
		Schedule: some(r.When.Schedule), Agent: r.Agent, Task: r.Task, PerHour: r.PerHour, State: r.State, Why: some(r.Why),
		Version: r.Version, CreatedAt: r.Created, UpdatedAt: r.Updated,
	}
	if r.Last != nil {
		last := firingOf(*r.Last)
		v.Last = &last
	}
	return v
}

// eventRuleRoutes are those of rules on events.
func (h *handler) eventRuleRoutes(at func(method, path string, right account.Right, do echo.HandlerFunc) web.Route) []web.Route {
	return []web.Route{
		at(http.MethodGet, "/event-rules", account.Look, h.eventRules),
		at(http.MethodPost, "/event-rules", account.Manage, h.makeEventRule),
		at(http.MethodGet, "/event-rules/:id", account.Look, h.eventRule),
		at(http.MethodPatch, "/event-rules/:id", account.Manage, h.changeEventRule),
		at(http.MethodDelete, "/event-rules/:id", account.Manage, h.deleteEventRule),
		at(http.MethodGet, "/event-rules/:id/firings", account.Look, h.eventFirings),
	}
}

// eventRules answers GET event-rules.
func (h *handler) eventRules(c echo.Context) error {
	got, err := h.EventRules.Rules(c.Request().Context(), customerOf(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, wireList(got.Items, "", eventRuleOf))
}

// eventRule answers GET event-rules/{id}.
func (h *handler) eventRule(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	r, err := h.EventRules.Rule(c.Request().Context(), customerOf(c), id)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, eventRuleOf(r))
}

// eventRuleRequest is an act with what signs it.
type eventRuleRequest struct {
	Act       wire.EventRuleAct `json:"act"`
	Signature *wire.Signature   `json:"signature"`
}

// makeEventRule answers POST event-rules.
func (h *handler) makeEventRule(c echo.Context) error {
	var in eventRuleRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	in.Act.Do, in.Act.Rule = wire.HookDoMake, ""
	return h.eventRuleAct(c, in, http.StatusCreated)
}

// errMake refuses to make a rule in place of another.
var errMake = fault.New(fault.Invalid, "act-unfit", "change of a rule that makes one",
	"This is nothing that can be done with a rule. Nothing was changed.")

// changeEventRule answers PATCH event-rules/{id}.
func (h *handler) changeEventRule(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	var in eventRuleRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	if in.Act.Do == wire.HookDoMake {
		return errMake
	}
	in.Act.Rule = id
	return h.eventRuleAct(c, in, http.StatusOK)
}

func (h *handler) eventRuleAct(c echo.Context, in eventRuleRequest, status int) error {
	r, err := h.EventRules.ChangeRule(c.Request().Context(), customerOf(c), wire.EventRuleChange{
		Act: in.Act, Signature: in.Signature, By: decider(c),
	})
	if err != nil {
		return err
	}
	return c.JSON(status, eventRuleOf(r))
}

// deleteEventRule answers DELETE event-rules/{id}, which takes no signature.
func (h *handler) deleteEventRule(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	a := wire.EventRuleAct{ID: uuid.Must(uuid.NewV7()).String(), Do: wire.HookDoDelete, Rule: id}
	_, err = h.EventRules.ChangeRule(c.Request().Context(), customerOf(c), wire.EventRuleChange{Act: a, By: decider(c)})
	if err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// eventFirings answers GET event-rules/{id}/firings.
func (h *handler) eventFirings(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	ask, err := limited(c)
	if err != nil {
		return err
	}
	got, err := h.EventRules.Firings(c.Request().Context(), customerOf(c), wire.EventFiringsParams{
		ID: id, After: ask.After, Limit: ask.Limit,
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, wireList(got.Items, got.Next, firingOf))
}
