package api

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/machine"
	"gatehouse/app/page"
	"gatehouse/app/server"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/jsonbody"
)

// Machines does things with machines at their providers; machine.Service does.
type Machines interface {
	View(ctx context.Context, srv server.Server) (machine.View, error)
	Do(ctx context.Context, id server.ID, w machine.Want, by audit.Actor) (machine.Act, error)
	Destroying(ctx context.Context, action, object string) (staff.Destroying, error)
}

// machineRoutes are those of the machines of servers at their providers.
func (h *handler) machineRoutes(route func(method, path string, needs staff.Permission, do echo.HandlerFunc) web.Route) []web.Route {
	act := func(path string, needs staff.Permission, do echo.HandlerFunc) web.Route {
		return route(http.MethodPost, "/servers/:id"+path, needs, h.onceCoded().Wrap(coded(do)))
	}
	return []web.Route{
		route(http.MethodGet, "/servers/:id/machine", staff.ServersRead, h.adminMachine),
		route(http.MethodGet, "/servers/:id/snapshots", staff.ServersRead, h.adminSnapshots),
		act("/power", staff.ServersPower, h.adminPower),
		act("/rescue", staff.ServersPower, h.adminRescue),
		act("/reinstall", staff.ServersDestroy, h.adminReinstall),
		act("/snapshots", staff.ServersPower, h.adminTakeSnapshot),
		act("/snapshots/:snap/restore", staff.ServersDestroy, h.adminOnSnapshot(machine.Restore)),
		route(http.MethodDelete, "/servers/:id/snapshots/:snap", staff.ServersDestroy, coded(h.adminOnSnapshot(machine.Drop))),
	}
}

// adminAct is something that is done with a machine, as staff see it.
type adminAct struct {
	ID       string           `json:"id"`
	Verb     machine.Verb     `json:"verb"`
	Snapshot string           `json:"snapshot,omitempty"`
	By       string           `json:"by"`
	State    machine.ActState `json:"state"`
	Text     string           `json:"text,omitempty"`
	At       time.Time        `json:"at"`
	EndedAt  time.Time        `json:"ended_at,omitzero"`
}

func adminActOf(a machine.Act) adminAct {
	return adminAct{ID: a.ID, Verb: a.Verb, Snapshot: a.Name, By: a.By, State: a.State, Text: a.Said, At: a.At, EndedAt: a.EndedAt}
}

// adminSnapshot is a snapshot as staff see it.
type adminSnapshot struct {
	ID     string    `json:"id"`
	Name   string    `json:"name"`
	Size   int64     `json:"size"` // 0: not known
	Daily  bool      `json:"daily"`
	Ready  bool      `json:"ready"`
	MadeAt time.Time `json:"made_at"`
}

// adminMachineState is the machine of a server as its provider saw it last.
type adminMachineState struct {
	Can      []machine.Verb    `json:"can"`
	Power    machine.Power     `json:"power"`
	Rescue   bool              `json:"rescue"`
	Measures []machine.Measure `json:"measures"`
	SeenAt   *time.Time        `json:"seen_at"` // null: never
	Problem  string            `json:"problem,omitempty"`
	Agreed   bool              `json:"snapshots_agreed"`
	Acts     []adminAct        `json:"acts"` // the newest first
}

// view finds what is known of a server's machine.
func (h *handler) view(c echo.Context) (machine.View, error) {
	id, err := serverID(c)
	if err != nil {
		return machine.View{}, err
	}
	srv, err := h.Servers.Find(c.Request().Context(), id)
	if err != nil {
		return machine.View{}, err
	}
	return h.Machines.View(c.Request().Context(), srv)
}

// adminMachine answers GET admin/servers/{id}/machine.
func (h *handler) adminMachine(c echo.Context) error {
	v, err := h.view(c)
	if err != nil {
		return err
	}
	m := adminMachineState{
		Can: []machine.Verb{}, Power: v.Seen.Power, Rescue: v.Rescue, Measures: v.Seen.Measures, Problem: v.Seen.Problem,
		Agreed: !v.Agreed.IsZero(), Acts: []adminAct{},
	}
	for _, verb := range machine.Verbs() {
		if v.Can.Can(verb) {
			m.Can = append(m.Can, verb)
		}
	}
	if m.Measures == nil {
		m.Measures = []machine.Measure{}
	}
	if m.Power == "" {
		m.Power = machine.PowerUnknown
	}
	if !v.Seen.At.IsZero() {
		m.SeenAt = &v.Seen.At
	}
	for _, a := range v.Acts {
		m.Acts = append(m.Acts, adminActOf(a))
	}
	return c.JSON(http.StatusOK, m)
}

// adminSnapshots answers GET admin/servers/{id}/snapshots.
func (h *handler) adminSnapshots(c echo.Context) error {
	v, err := h.view(c)
	return answer(c, page.Of[machine.Copy]{Items: v.Copies}, err, func(s machine.Copy) adminSnapshot {
		return adminSnapshot{ID: s.ID, Name: s.Name, Size: s.Size, Daily: s.Daily(), Ready: s.Ready, MadeAt: s.MadeAt}
	})
}

// do has something done with the machine of the server in the path.
func (h *handler) do(c echo.Context, w machine.Want) error {
	id, err := serverID(c)
	if err != nil {
		return err
	}
	a, err := h.Machines.Do(c.Request().Context(), id, w, clerk(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, adminActOf(a))
}

// switches are what a machine's power can be asked for.
var switches = map[string]machine.Verb{"on": machine.On, "off": machine.Off, "reset": machine.Reset}

// adminPower answers POST admin/servers/{id}/power.
func (h *handler) adminPower(c echo.Context) error {
	var in struct {
		Do string `json:"do"`
	}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	return h.do(c, machine.Want{Verb: switches[in.Do]})
}

// adminRescue answers POST admin/servers/{id}/rescue.
func (h *handler) adminRescue(c echo.Context) error {
	var in struct {
		On  bool   `json:"on"`
		Key string `json:"key"`
	}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	if in.On {
		return h.do(c, machine.Want{Verb: machine.RescueOn, Key: in.Key})
	}
	return h.do(c, machine.Want{Verb: machine.RescueOff})
}

// adminReinstall answers POST admin/servers/{id}/reinstall.
func (h *handler) adminReinstall(c echo.Context) error {
	return h.do(c, machine.Want{Verb: machine.Reinstall})
}

// adminTakeSnapshot answers POST admin/servers/{id}/snapshots.
func (h *handler) adminTakeSnapshot(c echo.Context) error {
	return h.do(c, machine.Want{Verb: machine.Take})
}

// adminOnSnapshot answers what is done with one snapshot.
func (h *handler) adminOnSnapshot(verb machine.Verb) echo.HandlerFunc {
	return func(c echo.Context) error { return h.do(c, machine.Want{Verb: verb, Copy: c.Param("snap")}) }
}
