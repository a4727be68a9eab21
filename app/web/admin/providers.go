package admin

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/app/audit"
	"gatehouse/app/providers"
	"gatehouse/app/setting"
	"gatehouse/app/staff"
	"gatehouse/app/web"
	views "gatehouse/views/admin"
	"gatehouse/views/i18n"
)

// Providers is what the console needs of the providers of servers; providers.Service has it.
type Providers interface {
	Overview(ctx context.Context) (providers.Overview, error)
	Connect(ctx context.Context, by audit.Actor) (providers.Link, error)
	Poll(ctx context.Context, by audit.Actor) (providers.Link, error)
	Stop(ctx context.Context, by audit.Actor) (providers.Link, error)
	Disconnect(ctx context.Context, by audit.Actor) (ended bool, err error)
	Others(ctx context.Context) ([]providers.Listed, error)
	Adopt(ctx context.Context, number int64, region, plan string, by audit.Actor) (providers.Machine, error)
	Move(ctx context.Context, number int64, act string, by audit.Actor) (providers.Machine, error)
	Forget(ctx context.Context, number int64, by audit.Actor) error
	Check(ctx context.Context, provider string, by audit.Actor) (providers.Check, error)
}

func (h *Handler) providerRoutes() []web.Route {
	get := func(path string, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodGet, Path: path, For: web.Staff, Needs: staff.ProvidersManage, Do: do}
	}
	post := func(path string, fresh bool, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodPost, Path: path, For: web.Staff, Needs: staff.ProvidersManage, Fresh: fresh, Do: do}
	}
	return []web.Route{
		get(views.ProvidersPath, h.providers),
		get(views.NetcupPath, h.netcupAsk),
		get(views.OthersPath, h.otherMachines),
		post(views.NetcupPath, true, h.actOnNetcup), // what it gives outlives the sign-in
		post(views.AdoptPath, true, h.adopt),
		post(views.NetcupPath+"/machines/:id", false, h.coded(h.actOnAdopted)),
		post(views.ProvidersPath+"/:name/check", false, h.checkProvider),
	}
}

// providers answers GET /admin/providers.
func (h *Handler) providers(c echo.Context) error {
	ctx := c.Request().Context()
	s, err := h.Rentals.Overview(ctx)
	if err != nil {
		return err
	}
	set, err := h.providerValues(ctx)
	if err != nil {
		return err
	}
	p := views.Providers{Places: servedBy(set), Settings: may(c, staff.SettingsManage), Pool: may(c, staff.PoolManage)}
	for _, one := range s.Standings() {
		if one.Name == providers.Netcup {
			p.Netcup = netcupProps(s, standingProps(one))
		} else {
			p.Others = append(p.Others, standingProps(one))
		}
	}
	for _, m := range s.Machines {
		p.Adopted = append(p.Adopted, adoptedProps(m))
	}
	f, err := h.frame(c, "provider.title", "", "")
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ProvidersPage(f, p))
}

// providerValues are the settings of providers.
func (h *Handler) providerValues(ctx context.Context) (map[setting.Key]string, error) {
	all, err := h.Settings.List(ctx)
	set := map[setting.Key]string{}
	for _, n := range all {
		set[n.Key] = n.Value
	}
	return set, err
}

// servedBy says which provider serves what.
func servedBy(set map[setting.Key]string) (all []views.Served) {
	for one := range strings.SplitSeq(set[setting.ProviderChoice], ",") {
		what, where, ok := strings.Cut(strings.TrimSpace(one), "=")
		if !ok {
			continue
		}
		region, plan, _ := strings.Cut(what, "/")
		all = append(all, views.Served{Region: region, Plan: plan, Provider: where})
	}
	return append(all, views.Served{Provider: set[setting.ProviderDefault]})
}

func netcupProps(o providers.Overview, p views.Provider) views.Netcup {
	n := views.Netcup{
		Provider: p, Connected: o.Link.Connected(), Account: o.Link.Account, By: o.Link.By, At: o.Link.At,
		Problem: o.Link.Problem, Ask: askProps(o.Link),
	}
	for _, m := range o.Machines {
		if m.State == providers.Wiping {
			n.Wiping++
		}
	}
	return n
}

func standingProps(s providers.Standing) views.Provider {
	p := views.Provider{Name: s.Name, State: string(s.Is), Used: s.Used, Free: s.Free}
	if c := s.Check; c != nil {
		p.Check = &views.Checked{At: c.At, By: c.By, OK: c.OK, Said: c.Said}
	}
	return p
}

func askProps(l providers.Link) views.NetcupAsk {
	a := l.Ask
	return views.NetcupAsk{Code: a.Code, Page: a.Page, By: a.By, Until: a.Until, Every: a.Every, End: string(a.End)}
}

func adoptedProps(m providers.Machine) views.Adopted {
	return views.Adopted{
		Number: m.ID, Name: m.Name, Product: m.Product, Address: m.Address, Region: m.Region, Plan: m.Plan, State: string(m.State),
		Server: m.ServerID, Problem: m.Problem, Since: m.Since,
	}
}

// netcupAsk answers GET /admin/providers/netcup: the part of the page with the code, after netcup was asked whether somebody said yes.
// When it is over, the page is loaded anew.
func (h *Handler) netcupAsk(c echo.Context) error {
	if c.Request().Header.Get("HX-Request") == "" {
		return web.SeeOther(c, views.ProvidersPath)
	}
	ctx := c.Request().Context()
	l, err := h.Rentals.Poll(ctx, actorOf(c))
	away := err != nil
	if away { // it is asked again soon
		s, stateErr := h.Rentals.Overview(ctx)
		if stateErr != nil {
			return err
		}
		l = s.Link
	}
	p := askProps(l)
	if p.Away = away; !p.Open() {
		if l.Connected() {
			said(c, "provider.connected", "account", l.Account)
		}
		c.Response().Header().Set("HX-Redirect", views.ProvidersPath)
	}
	return web.Render(c, http.StatusOK, views.NetcupAskPart(p))
}

// otherMachines answers GET /admin/providers/netcup/others: the part of the page with machines that are not adopted.
func (h *Handler) otherMachines(c echo.Context) error {
	if c.Request().Header.Get("HX-Request") == "" {
		return web.SeeOther(c, views.ProvidersPath)
	}
	all, err := h.Rentals.Others(c.Request().Context())
	p := views.OtherMachines{}
	if err != nil {
		p.Problem = web.Told(c, err).Public
	}
	for _, m := range all {
		p.Machines = append(p.Machines, views.OtherMachine{Number: m.ID, Name: m.Name, Called: m.Called, Product: m.Product})
	}
	for _, o := range h.Orders.Plans() {
		p.Plans = append(p.Plans, [2]string{string(o.ID), o.Name})
	}
	return web.Render(c, http.StatusOK, views.OtherMachinesPart(p))
}

// actOnNetcup answers POST /admin/providers/netcup.
func (h *Handler) actOnNetcup(c echo.Context) error {
	ctx, by := c.Request().Context(), actorOf(c)
	var err error
	switch c.FormValue("act") {
	case "connect":
		_, err = h.Rentals.Connect(ctx, by)
	case "stop":
		_, err = h.Rentals.Stop(ctx, by)
	case "disconnect":
		var ended bool
		if ended, err = h.Rentals.Disconnect(ctx, by); err == nil && ended {
			said(c, "provider.disconnected")
		} else if err == nil {
			web.Flash(c, "warn", i18n.T(web.Context(c), "provider.disconnected_here"))
		}
	default:
		err = errAct
	}
	if err != nil {
		return err
	}
	return web.SeeOther(c, views.ProvidersPath)
}

// adopt answers POST /admin/providers/netcup/adopt.
func (h *Handler) adopt(c echo.Context) error {
	number, err := strconv.ParseInt(c.FormValue("number"), 10, 64)
	if err != nil {
		return errNotFound
	}
	m, err := h.Rentals.Adopt(c.Request().Context(), number, c.FormValue("region"), c.FormValue("plan"), actorOf(c))
	if err != nil {
		return err
	}
	said(c, "provider.was_adopted", "name", m.Name)
	return web.SeeOther(c, views.ProvidersPath+"#adopted")
}

var didAdopted = map[string]i18n.Key{"hold": "admin.pool.held", "free": "admin.pool.freed", "wipe": "provider.was_wiped"}

// actOnAdopted answers POST /admin/providers/netcup/machines/:id.
func (h *Handler) actOnAdopted(c echo.Context) error {
	number, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return errNotFound
	}
	ctx, by, act := c.Request().Context(), actorOf(c), c.FormValue("act")
	if act == "forget" {
		if err := h.Rentals.Forget(ctx, number, by); err != nil {
			return err
		}
		said(c, "provider.was_forgotten")
		return web.SeeOther(c, views.ProvidersPath+"#adopted")
	}
	m, err := h.Rentals.Move(ctx, number, act, by)
	if err != nil {
		return err
	}
	said(c, didAdopted[act], "name", m.Name)
	return web.SeeOther(c, views.ProvidersPath+"#adopted")
}

// checkProvider answers POST /admin/providers/:name/check.
func (h *Handler) checkProvider(c echo.Context) error {
	r, err := h.Rentals.Check(c.Request().Context(), c.Param("name"), actorOf(c))
	if err != nil {
		return err
	}
	ctx, kind := web.Context(c), "ok"
	if !r.OK {
		kind = "bad"
	}
	web.Flash(c, kind, views.ProviderName(ctx, r.Provider)+": "+i18n.Say(ctx, r.Said))
	return web.SeeOther(c, views.ProvidersPath+"#"+r.Provider)
}
