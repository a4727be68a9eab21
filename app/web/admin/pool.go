package admin

import (
	"context"
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/pool"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
)

// Machines is what the console needs of the pool; pool.Service has it.
type Machines interface {
	List(ctx context.Context) ([]pool.Machine, error)
	PublicKey(ctx context.Context) (string, error)
	Add(ctx context.Context, in pool.New, by audit.Actor) (pool.Machine, error)
	Check(ctx context.Context, id pool.ID, by audit.Actor) (pool.Machine, error)
	Hold(ctx context.Context, id pool.ID, by audit.Actor) (pool.Machine, error)
	Free(ctx context.Context, id pool.ID, by audit.Actor) (pool.Machine, error)
	SetHostKey(ctx context.Context, id pool.ID, key string, by audit.Actor) (pool.Machine, error)
	Remove(ctx context.Context, id pool.ID, by audit.Actor) (pool.Machine, error)
	Wipe(ctx context.Context, id pool.ID, by audit.Actor) (pool.Machine, error)
}

// pool answers GET /admin/pool: the machines of our own.
func (h *Handler) pool(c echo.Context) error { return h.showPool(c, http.StatusOK, views.Pool{}) }

func (h *Handler) showPool(c echo.Context, status int, p views.Pool) error {
	ctx := c.Request().Context()
	machines, err := h.Pool.List(ctx)
	if err != nil {
		return err
	}
	for _, m := range machines {
		p.Machines = append(p.Machines, machineProps(m))
	}
	if p.Key, err = h.Pool.PublicKey(ctx); err != nil {
		return err
	}
	f, err := h.frame(c, "admin.pool.title", "", "")
	if err != nil {
		return err
	}
	f.Failed = len(p.Problems) > 0
	return web.Render(c, status, views.PoolPage(f, p))
}

// addMachine answers POST /admin/pool. It looks at the machine at once: what is wrong with it is best told to who just typed it.
func (h *Handler) addMachine(c echo.Context) error {
	typed := map[string]string{}
	for _, name := range []string{"name", "address", "port", "login", "region", "host_key"} {
		typed[name] = c.FormValue(name)
	}
	ctx := c.Request().Context()
	m, err := h.Pool.Add(ctx, pool.New{
		Name: typed["name"], Address: typed["address"], Port: typed["port"], Login: typed["login"], Region: typed["region"],
		HostKey: typed["host_key"],
	}, actorOf(c))
	if errors.Is(err, pool.ErrKnown) {
		err = fault.Bad(map[string]string{"address": pool.ErrKnown.Public})
	}
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return h.showPool(c, http.StatusUnprocessableEntity, views.Pool{Typed: typed, Problems: f.Fields})
	}
	if err != nil {
		return err
	}
	if m, err = h.Pool.Check(ctx, m.ID, actorOf(c)); err != nil {
		return err
	}
	h.sayChecked(c, m)
	return web.SeeOther(c, views.PoolPath)
}

// actOnMachine answers POST /admin/pool/:id.
func (h *Handler) actOnMachine(c echo.Context) error {
	v, err := id(c)
	if err != nil {
		return err
	}
	ctx, by := c.Request().Context(), actorOf(c)
	var m pool.Machine
	switch act := c.FormValue("act"); act {
	case "check":
		if m, err = h.Pool.Check(ctx, pool.ID(v), by); err == nil {
			h.sayChecked(c, m)
		}
	case "hold":
		if m, err = h.Pool.Hold(ctx, pool.ID(v), by); err == nil {
			said(c, "admin.pool.held", "name", m.Name)
		}
	case "free":
		if m, err = h.Pool.Free(ctx, pool.ID(v), by); err == nil {
			said(c, "admin.pool.freed", "name", m.Name)
		}
	case "host_key":
		return h.setHostKey(c, pool.ID(v))
	case "remove":
		if m, err = h.Pool.Remove(ctx, pool.ID(v), by); err == nil {
			said(c, "admin.pool.removed", "name", m.Name)
		}
	case "wipe":
		if m, err = h.Pool.Wipe(ctx, pool.ID(v), by); err == nil {
			said(c, "admin.pool.wipes", "name", m.Name)
		}
	default:
		err = errAct
	}
	if err != nil {
		return err
	}
	return web.SeeOther(c, views.PoolPath)
}

// setHostKey has a machine known by another key, and looks at it at once.
func (h *Handler) setHostKey(c echo.Context, id pool.ID) error {
	ctx, by := c.Request().Context(), actorOf(c)
	field := views.HostKeyField(string(id))
	m, err := h.Pool.SetHostKey(ctx, id, c.FormValue(field), by)
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return h.showPool(c, http.StatusUnprocessableEntity, views.Pool{
			Typed: map[string]string{field: c.FormValue(field)}, Problems: map[string]string{field: f.Fields["host_key"]},
		})
	}
	if err != nil {
		return err
	}
	if m, err = h.Pool.Check(ctx, m.ID, by); err != nil {
		return err
	}
	h.sayChecked(c, m)
	return web.SeeOther(c, views.PoolPath)
}

// sayChecked says what a look at a machine found.
func (h *Handler) sayChecked(c echo.Context, m pool.Machine) {
	if m.Problem == "" {
		said(c, "admin.pool.found", "name", m.Name, "system", m.System)
		return
	}
	ctx := web.Context(c)
	web.Flash(c, "bad", i18n.T(ctx, "admin.pool.not_found", "name", m.Name, "problem", i18n.Say(ctx, m.Problem)))
}

func machineProps(m pool.Machine) views.Machine {
	v := views.Machine{
		ID: string(m.ID), Name: m.Name, Address: m.Where(), Region: m.Region, State: string(m.State), Server: m.ServerID,
		System: m.System, Problem: m.Problem, Fingerprint: m.Fingerprint(), Checked: m.CheckedAt,
		Ended: !m.EndedAt.IsZero(), Wiped: !m.WipedAt.IsZero(),
	}
	if m.ToBeWiped(m.EndedAt) {
		v.WipeBy = m.WipeBy
	}
	return v
}
