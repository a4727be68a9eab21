package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/web"
	"gatehouse/app/web/jsonbody"
)

// Hooks is what the API needs of hooks; hook.Service has it.
type Hooks interface {
	List(ctx context.Context, of account.CustomerID) (wire.HooksResult, error)
	Find(ctx context.Context, of account.CustomerID, id string) (wire.Hook, error)
	Deliveries(ctx context.Context, of account.CustomerID, p wire.HookDeliveriesParams) (wire.HookDeliveries, error)
	Change(ctx context.Context, of account.CustomerID, c wire.HookChange) (wire.Hook, error)
}

// hooked is a hook.
type hooked struct {
	ID        string         `json:"id"`
	Name      string         `json:"name"`
	Agent     *string        `json:"agent"`
	Task      string         `json:"task"`
	Proof     wire.HookProof `json:"proof"`
	State     wire.HookState `json:"state"`
	PerMinute int            `json:"per_minute"`
	Last      *delivered     `json:"last"`
	Version   int64          `json:"version"`
	CreatedAt time.Time      `json:"created_at"`
	UpdatedAt time.Time      `json:"updated_at"`
	RenewedAt time.Time      `json:"renewed_at"`
}

// delivered is something that came to a hook.
type delivered struct {
	At      time.Time        `json:"at"`
	Verdict wire.HookVerdict `json:"verdict"`
	Reason  string           `json:"reason"`
	RunID   *string          `json:"run_id"`
	Count   int              `json:"count"`
	Size    int              `json:"size"`
}

func deliveredOf(r wire.HookReceived) delivered {
	return delivered{At: r.At, Verdict: r.Verdict, Reason: r.Reason, RunID: some(r.RunID), Count: r.Count, Size: r.Size}
}

func hookedOf(k wire.Hook) hooked {
	v := hooked{
		ID: k.ID, Name: k.Name, Agent: some(k.Agent), Task: k.Task, Proof: k.Proof, State: k.State, PerMinute: k.PerMinute,
		Version: k.Version, CreatedAt: k.Created, UpdatedAt: k.Updated, RenewedAt: k.Renewed,
	}
	if k.Last != nil {
		last := deliveredOf(*k.Last)
		v.Last = &last
	}
	return v
}

// hookRoutes are those of hooks.
func (h *handler) hookRoutes(at func(method, path string, right account.Right, do echo.HandlerFunc) web.Route) []web.Route {
	return []web.Route{
		at(http.MethodGet, "/hooks", account.Look, h.hooks),
		at(http.MethodPost, "/hooks", account.Manage, h.makeHook),
		at(http.MethodGet, "/hooks/:id", account.Look, h.hook),
		at(http.MethodPatch, "/hooks/:id", account.Manage, h.changeHook),
		at(http.MethodDelete, "/hooks/:id", account.Manage, h.deleteHook),
		at(http.MethodGet, "/hooks/:id/deliveries", account.Look, h.hookDeliveries),
	}
}

// hooks answers GET hooks.
func (h *handler) hooks(c echo.Context) error {
	got, err := h.Hooks.List(c.Request().Context(), customerOf(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, wireList(got.Items, "", hookedOf))
}

// hook answers GET hooks/{id}.
func (h *handler) hook(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	k, err := h.Hooks.Find(c.Request().Context(), customerOf(c), id)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, hookedOf(k))
}

// hookRequest is an act with what signs it.
type hookRequest struct {
	Act       wire.HookAct    `json:"act"`
	Signature *wire.Signature `json:"signature"`
}

// makeHook answers POST hooks. Of the token only its hash comes here; a hook whose sender signs is made on its page, where the key is
// sealed for the server.
func (h *handler) makeHook(c echo.Context) error {
	var in hookRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	in.Act.Do, in.Act.Hook, in.Act.Proof = wire.HookDoMake, "", wire.HookToken
	return h.hookAct(c, in, http.StatusCreated)
}

// changeHook answers PATCH hooks/{id}.
func (h *handler) changeHook(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	var in hookRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	in.Act.Hook = id
	return h.hookAct(c, in, http.StatusOK)
}

func (h *handler) hookAct(c echo.Context, in hookRequest, status int) error {
	k, err := h.Hooks.Change(c.Request().Context(), customerOf(c), wire.HookChange{Act: in.Act, Signature: in.Signature, By: decider(c)})
	if err != nil {
		return err
	}
	return c.JSON(status, hookedOf(k))
}

// deleteHook answers DELETE hooks/{id}, which takes no signature.
func (h *handler) deleteHook(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	a := wire.HookAct{ID: uuid.Must(uuid.NewV7()).String(), Do: wire.HookDoDelete, Hook: id}
	if _, err := h.Hooks.Change(c.Request().Context(), customerOf(c), wire.HookChange{Act: a, By: decider(c)}); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// hookDeliveries answers GET hooks/{id}/deliveries.
func (h *handler) hookDeliveries(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	ask, err := limited(c)
	if err != nil {
		return err
	}
	got, err := h.Hooks.Deliveries(c.Request().Context(), customerOf(c), wire.HookDeliveriesParams{
		ID: id, After: ask.After, Limit: ask.Limit,
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, wireList(got.Items, got.Next, deliveredOf))
}
