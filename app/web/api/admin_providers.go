package api

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/providers"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	"gatehouse/app/web/jsonbody"
)

// Providers is what the API needs of the providers of servers; providers.Service has it.
type Providers interface {
	Standings(ctx context.Context) ([]providers.Standing, error)
	Check(ctx context.Context, provider string, by audit.Actor) (providers.Check, error)
	Connect(ctx context.Context, by audit.Actor) (providers.Link, error)
	Poll(ctx context.Context, by audit.Actor) (providers.Link, error)
	Stop(ctx context.Context, by audit.Actor) (providers.Link, error)
	Disconnect(ctx context.Context, by audit.Actor) (ended bool, err error)
	List(ctx context.Context) ([]providers.Machine, error)
	Others(ctx context.Context) ([]providers.Listed, error)
	Adopt(ctx context.Context, number int64, region, plan string, by audit.Actor) (providers.Machine, error)
	Move(ctx context.Context, number int64, act string, by audit.Actor) (providers.Machine, error)
	Forget(ctx context.Context, number int64, by audit.Actor) error
	// Destroying is the wipe that a code is asked for, with the name of the machine of that number.
	Destroying(ctx context.Context, number string) (staff.Destroying, error)
}

// providerRoutes are those of the places that rent servers out.
func (h *handler) providerRoutes(route func(method, path string, needs staff.Permission, do echo.HandlerFunc) web.Route) []web.Route {
	at := func(method, path string, do echo.HandlerFunc) web.Route {
		if method == http.MethodPost {
			do = h.once().Wrap(do)
		}
		return route(method, "/providers"+path, staff.ProvidersManage, do)
	}
	return []web.Route{
		at(http.MethodGet, "", h.adminProviders),
		at(http.MethodPost, "/:name/check", h.adminCheckProvider),
		at(http.MethodGet, "/netcup", h.adminNetcup),
		at(http.MethodPost, "/netcup", h.adminActOnNetcup),
		at(http.MethodGet, "/netcup/others", h.adminOtherMachines),
		at(http.MethodGet, "/netcup/machines", h.adminAdopted),
		at(http.MethodPost, "/netcup/machines", h.adminAdopt),
		route(http.MethodPost, "/providers/netcup/machines/:number", staff.ProvidersManage, h.onceCoded().Wrap(coded(h.adminActOnAdopted))),
		at(http.MethodDelete, "/netcup/machines/:number", h.adminForget),
	}
}

// providerState is how it stands with a provider.
type providerState struct {
	Name  string              `json:"name"`
	State providers.Condition `json:"state"`
	Used  int                 `json:"used"`
	Free  *int                `json:"free"`  // null: it makes a machine for each order
	Check *providerCheck      `json:"check"` // null: nobody has asked it
}

// providerCheck is what came back when a provider was asked.
type providerCheck struct {
	At   time.Time `json:"at"`
	By   string    `json:"by"`
	OK   bool      `json:"ok"`
	Text string    `json:"text"`
}

func providerCheckOf(c providers.Check) providerCheck {
	return providerCheck{At: c.At, By: c.By, OK: c.OK, Text: c.Said}
}

func providerStateOf(s providers.Standing) providerState {
	out := providerState{Name: s.Name, State: s.Is, Used: s.Used}
	if s.Free != providers.Made {
		out.Free = &s.Free
	}
	if s.Check != nil {
		c := providerCheckOf(*s.Check)
		out.Check = &c
	}
	return out
}

// adminProviders answers GET admin/providers.
func (h *handler) adminProviders(c echo.Context) error {
	all, err := h.Providers.Standings(c.Request().Context())
	return answer(c, page.Of[providers.Standing]{Items: all}, err, providerStateOf)
}

// adminCheckProvider answers POST admin/providers/{name}/check.
func (h *handler) adminCheckProvider(c echo.Context) error {
	r, err := h.Providers.Check(c.Request().Context(), c.Param("name"), clerk(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, providerCheckOf(r))
}

// netcupLink is how the hub is connected to netcup.
type netcupLink struct {
	Connected bool       `json:"connected"`
	Account   string     `json:"account,omitempty"`
	By        string     `json:"by,omitempty"`
	At        time.Time  `json:"at,omitzero"`
	Problem   string     `json:"problem,omitempty"`
	Ask       *netcupAsk `json:"ask"` // null: nobody asks for a connection
	Ended     *bool      `json:"ended_there,omitempty"`
}

// netcupAsk is a connection that waits for a yes at netcup, or waited for one.
type netcupAsk struct {
	State  string    `json:"state"`
	Code   string    `json:"code"`
	Page   string    `json:"page"`
	By     string    `json:"by"`
	Until  time.Time `json:"until"`
	EveryS int       `json:"every_s"`
}

func netcupLinkOf(l providers.Link) netcupLink {
	out := netcupLink{Connected: l.Connected(), Account: l.Account, By: l.By, At: l.At, Problem: l.Problem}
	if a := l.Ask; a.Code != "" {
		out.Ask = &netcupAsk{State: "waiting", Code: a.Code, Page: a.Page, By: a.By, Until: a.Until, EveryS: int(a.Every.Seconds())}
		if a.End != providers.Waiting {
			out.Ask.State = string(a.End)
		}
	}
	return out
}

// adminNetcup answers GET admin/providers/netcup, after netcup was asked whether somebody said yes.
func (h *handler) adminNetcup(c echo.Context) error {
	l, err := h.Providers.Poll(c.Request().Context(), clerk(c))
	return answerLink(c, l, err)
}

func answerLink(c echo.Context, l providers.Link, err error) error {
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, netcupLinkOf(l))
}

// adminActOnNetcup answers POST admin/providers/netcup.
func (h *handler) adminActOnNetcup(c echo.Context) error {
	var in struct {
		Action string `json:"action"`
	}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	ctx, by := c.Request().Context(), clerk(c)
	switch in.Action {
	case "connect":
		l, err := h.Providers.Connect(ctx, by)
		return answerLink(c, l, err)
	case "stop":
		l, err := h.Providers.Stop(ctx, by)
		return answerLink(c, l, err)
	case "disconnect":
		ended, err := h.Providers.Disconnect(ctx, by)
		if err != nil {
			return err
		}
		return c.JSON(http.StatusOK, netcupLink{Ended: &ended})
	}
	return jsonbody.Bad("action must be connect, stop or disconnect.")
}

// otherMachine is a machine in the account that is not adopted.
type otherMachine struct {
	Number  int64  `json:"number"`
	Name    string `json:"name"`
	Called  string `json:"called,omitempty"`
	Product string `json:"product"`
}

// adminOtherMachines answers GET admin/providers/netcup/others.
func (h *handler) adminOtherMachines(c echo.Context) error {
	all, err := h.Providers.Others(c.Request().Context())
	return answer(c, page.Of[providers.Listed]{Items: all}, err, func(l providers.Listed) otherMachine {
		return otherMachine{Number: l.ID, Name: l.Name, Called: l.Called, Product: l.Product}
	})
}

// adoptedMachine is a machine in the account that orders may take.
type adoptedMachine struct {
	Number    int64           `json:"number"`
	Name      string          `json:"name"`
	Product   string          `json:"product"`
	Region    string          `json:"region"`
	Plan      string          `json:"plan,omitempty"`
	Address   string          `json:"address"`
	State     providers.State `json:"state"`
	ServerID  string          `json:"server_id,omitempty"`
	Problem   string          `json:"problem,omitempty"`
	AdoptedAt time.Time       `json:"adopted_at"`
	Since     time.Time       `json:"since"`
}

func adoptedOf(m providers.Machine) adoptedMachine {
	return adoptedMachine{
		Number: m.ID, Name: m.Name, Product: m.Product, Region: m.Region, Plan: m.Plan, Address: m.Address, State: m.State,
		ServerID: m.ServerID, Problem: m.Problem, AdoptedAt: m.AdoptedAt, Since: m.Since,
	}
}

// adminAdopted answers GET admin/providers/netcup/machines.
func (h *handler) adminAdopted(c echo.Context) error {
	all, err := h.Providers.List(c.Request().Context())
	return answer(c, page.Of[providers.Machine]{Items: all}, err, adoptedOf)
}

// adminAdopt answers POST admin/providers/netcup/machines.
func (h *handler) adminAdopt(c echo.Context) error {
	var in struct {
		Number int64  `json:"number"`
		Region string `json:"region"`
		Plan   string `json:"plan"`
	}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	m, err := h.Providers.Adopt(c.Request().Context(), in.Number, in.Region, in.Plan, clerk(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, adoptedOf(m))
}

// machineNumber is netcup's number of a machine, in the path.
func machineNumber(c echo.Context) (int64, error) {
	n, err := strconv.ParseInt(c.Param("number"), 10, 64)
	if err != nil {
		return 0, providers.ErrNoMachine
	}
	return n, nil
}

// adminActOnAdopted answers POST admin/providers/netcup/machines/{number}.
func (h *handler) adminActOnAdopted(c echo.Context) error {
	number, err := machineNumber(c)
	if err != nil {
		return err
	}
	var in struct {
		Action string `json:"action"`
	}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	m, err := h.Providers.Move(c.Request().Context(), number, in.Action, clerk(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, adoptedOf(m))
}

// adminForget answers DELETE admin/providers/netcup/machines/{number}.
func (h *handler) adminForget(c echo.Context) error {
	number, err := machineNumber(c)
	if err != nil {
		return err
	}
	if err := h.Providers.Forget(c.Request().Context(), number, clerk(c)); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
