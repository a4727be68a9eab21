package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/pool"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/jsonbody"
)

// Pool is what the API needs of the machines of our own; pool.Service has it.
type Pool interface {
	List(ctx context.Context) ([]pool.Machine, error)
	Get(ctx context.Context, id pool.ID) (pool.Machine, error)
	PublicKey(ctx context.Context) (string, error)
	Add(ctx context.Context, in pool.New, by audit.Actor) (pool.Machine, error)
	Check(ctx context.Context, id pool.ID, by audit.Actor) (pool.Machine, error)
	Hold(ctx context.Context, id pool.ID, by audit.Actor) (pool.Machine, error)
	Free(ctx context.Context, id pool.ID, by audit.Actor) (pool.Machine, error)
	SetHostKey(ctx context.Context, id pool.ID, key string, by audit.Actor) (pool.Machine, error)
	Remove(ctx context.Context, id pool.ID, by audit.Actor) (pool.Machine, error)
	Wipe(ctx context.Context, id pool.ID, by audit.Actor) (pool.Machine, error)
}

// poolRoutes are those of the machines of our own.
func (h *handler) poolRoutes(route func(method, path string, needs staff.Permission, do echo.HandlerFunc) web.Route) []web.Route {
	at := func(method, path string, do echo.HandlerFunc) web.Route {
		if method == http.MethodPost {
			do = h.onceCoded().Wrap(coded(do))
		}
		return route(method, "/pool"+path, staff.PoolManage, do)
	}
	return []web.Route{
		at(http.MethodGet, "", h.adminPool),
		at(http.MethodGet, "/key", h.adminPoolKey),
		at(http.MethodGet, "/:id", h.adminPoolMachine),
		at(http.MethodPost, "", h.adminAddMachine),
		at(http.MethodPost, "/:id", h.adminActOnPool),
		at(http.MethodPatch, "/:id", h.adminSetHostKey),
		at(http.MethodDelete, "/:id", coded(h.adminRemoveMachine)),
	}
}

// poolMachine is a machine of our own.
type poolMachine struct {
	ID          string     `json:"id"`
	Name        string     `json:"name"`
	Address     string     `json:"address"`
	Port        int        `json:"port"`
	Login       string     `json:"login"`
	Region      string     `json:"region"`
	State       pool.State `json:"state"`
	ServerID    string     `json:"server_id,omitempty"`
	HostKey     string     `json:"host_key,omitempty"`
	Fingerprint string     `json:"fingerprint,omitempty"`
	System      string     `json:"system,omitempty"`
	Problem     string     `json:"problem,omitempty"`
	CheckedAt   *time.Time `json:"checked_at"` // null: nobody has looked at it
	CreatedAt   time.Time  `json:"created_at"`
	WipeBy      string     `json:"wipe_by,omitempty"` // who confirmed that it wipes itself when its server is released
	WipeAskedAt *time.Time `json:"wipe_asked_at"`     // null: nobody did
	WipedAt     *time.Time `json:"wiped_at"`          // null: it was not wiped, or somebody has looked at it since
}

func poolMachineOf(m pool.Machine) poolMachine {
	return poolMachine{
		ID: string(m.ID), Name: m.Name, Address: m.Address, Port: m.Port, Login: m.Login, Region: m.Region, State: m.State,
		ServerID: m.ServerID, HostKey: m.HostKey, Fingerprint: m.Fingerprint(), System: m.System, Problem: m.Problem,
		CheckedAt: moment(m.CheckedAt), CreatedAt: m.CreatedAt, WipeBy: m.WipeBy,
		WipeAskedAt: moment(m.WipeAskedAt), WipedAt: moment(m.WipedAt),
	}
}

func answerMachine(c echo.Context, status int, m pool.Machine, err error) error {
	if err != nil {
		return err
	}
	return c.JSON(status, poolMachineOf(m))
}

// adminPool answers GET admin/pool: all of them, they are few.
func (h *handler) adminPool(c echo.Context) error {
	all, err := h.Pool.List(c.Request().Context())
	return answer(c, page.Of[pool.Machine]{Items: all}, err, poolMachineOf)
}

// adminPoolKey answers GET admin/pool/key: the key that a machine must let in.
func (h *handler) adminPoolKey(c echo.Context) error {
	key, err := h.Pool.PublicKey(c.Request().Context())
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]string{"public_key": key})
}

// adminPoolMachine answers GET admin/pool/{id}.
func (h *handler) adminPoolMachine(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	m, err := h.Pool.Get(c.Request().Context(), pool.ID(id))
	return answerMachine(c, http.StatusOK, m, err)
}

// adminAddMachine answers POST admin/pool. It looks at the machine at once, as the page does.
func (h *handler) adminAddMachine(c echo.Context) error {
	var in struct {
		Name    string `json:"name"`
		Address string `json:"address"`
		Port    string `json:"port"`
		Login   string `json:"login"`
		Region  string `json:"region"`
		HostKey string `json:"host_key"`
	}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	ctx, by := c.Request().Context(), clerk(c)
	m, err := h.Pool.Add(ctx, pool.New(in), by)
	if err != nil {
		return err
	}
	m, err = h.Pool.Check(ctx, m.ID, by)
	return answerMachine(c, http.StatusCreated, m, err)
}

// adminActOnPool answers POST admin/pool/{id}.
func (h *handler) adminActOnPool(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	var in struct {
		Action string `json:"action"`
	}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	do, known := map[string]func(context.Context, pool.ID, audit.Actor) (pool.Machine, error){
		"check": h.Pool.Check, "hold": h.Pool.Hold, "free": h.Pool.Free, "wipe": h.Pool.Wipe,
	}[in.Action]
	if !known {
		return jsonbody.Bad("action must be check, hold, free or wipe.")
	}
	m, err := do(c.Request().Context(), pool.ID(id), clerk(c))
	return answerMachine(c, http.StatusOK, m, err)
}

// adminSetHostKey answers PATCH admin/pool/{id}. It looks at the machine at once, as the page does.
func (h *handler) adminSetHostKey(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	var in struct {
		HostKey string `json:"host_key"`
	}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	ctx, by := c.Request().Context(), clerk(c)
	m, err := h.Pool.SetHostKey(ctx, pool.ID(id), in.HostKey, by)
	if err != nil {
		return err
	}
	m, err = h.Pool.Check(ctx, m.ID, by)
	return answerMachine(c, http.StatusOK, m, err)
}

// adminRemoveMachine answers DELETE admin/pool/{id}.
func (h *handler) adminRemoveMachine(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	if _, err := h.Pool.Remove(c.Request().Context(), pool.ID(id), clerk(c)); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
