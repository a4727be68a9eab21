package account

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/account"
	"gatehouse/app/audit"
	"gatehouse/app/fault"
	"gatehouse/app/push"
	"gatehouse/app/web"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/account"
)

// Devices are those on which the reader gets notifications; push.Service has them.
type Devices interface {
	PublicKey() string
	List(ctx context.Context, of account.CustomerID, user account.UserID) ([]push.Device, error)
	Add(ctx context.Context, of account.CustomerID, user account.UserID, name, sent string, by audit.Actor) error
	Rename(ctx context.Context, of account.CustomerID, user account.UserID, id, name string) error
	Remove(ctx context.Context, of account.CustomerID, user account.UserID, id string, by audit.Actor) error
	Test(ctx context.Context, of account.CustomerID, user account.UserID, id string) error
	Quiet(ctx context.Context, user account.UserID) (push.Quiet, error)
	SetQuiet(ctx context.Context, of account.CustomerID, user account.UserID, q push.Quiet) error
}

// notificationRoutes are the page of notifications and its forms. Each device that is added, and each test, makes the hub send
// something: that is limited as mail is.
func (p *Pages) notificationRoutes() []web.Route {
	limited := func(path string, do echo.HandlerFunc) web.Route {
		r := frame.Post(path, account.Look, do)
		r.Limit = web.LimitMail
		return r
	}
	return []web.Route{
		frame.Get(portal.Notifications, account.Look, p.notifications), limited(portal.Notifications, p.addDevice),
		frame.Post(portal.Notifications+"/:device/name", account.Look, p.renameDevice),
		frame.Post(portal.Notifications+"/:device/off", account.Look, p.removeDevice),
		limited(portal.Notifications+"/:device/test", p.testDevice), frame.Post(views.QuietPath, account.Look, p.saveQuiet),
	}
}

// reader is who reads the page.
func reader(c echo.Context) account.UserID { return account.UserID(session.Of(c).UserID) }

// notifications answers GET /app/settings/notifications.
func (p *Pages) notifications(c echo.Context) error {
	return p.showNotifications(c, http.StatusOK, views.NotificationsProps{})
}

// showNotifications fills props in and shows them; what is set already is what a form brought.
func (p *Pages) showNotifications(c echo.Context, status int, props views.NotificationsProps) error {
	ctx := c.Request().Context()
	devices, err := p.Devices.List(ctx, frame.Customer(c), reader(c))
	if err != nil {
		return err
	}
	for _, d := range devices {
		shown := views.DeviceProps{
			ID: d.ID, Name: d.Name, Print: d.Print, Added: d.CreatedAt, Told: d.ToldAt, Failing: d.FailedAt, GivenNew: d.Name,
		}
		if problem := props.Problems[nameField(d.ID)]; problem != "" {
			shown.NameProblem, shown.GivenNew = problem, c.FormValue(nameField(d.ID))
		}
		props.Devices = append(props.Devices, shown)
	}
	if props.From == "" && props.To == "" {
		q, err := p.Devices.Quiet(ctx, reader(c))
		if err != nil {
			return err
		}
		props.From, props.To = q.Clock()
	}
	props.Key, props.Zone = p.Devices.PublicKey(), session.Of(c).TimeZone
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "portal.push.title")})
	if err != nil {
		return err
	}
	outer.Failed = props.Problem != "" || len(props.Problems) > 0
	return web.Render(c, status, views.NotificationsPage(outer, props))
}

// nameField is the field for the new name of a device: each has its own, so that a label finds its field.
func nameField(device string) string { return "name-" + device }

// addDevice answers POST /app/settings/notifications, which only the script sends: the browser makes the subscription.
func (p *Pages) addDevice(c echo.Context) error {
	name := c.FormValue("name")
	err := p.Devices.Add(c.Request().Context(), frame.Customer(c), reader(c), name, c.FormValue("subscription"), actor(c))
	if err != nil {
		return p.refusedNotification(c, err, views.NotificationsProps{Name: name})
	}
	return saidHere(c, "portal.push.said_on", "name", name)
}

// renameDevice answers POST /app/settings/notifications/:device/name.
func (p *Pages) renameDevice(c echo.Context) error {
	id := c.Param("device")
	name := c.FormValue(nameField(id))
	err := p.Devices.Rename(c.Request().Context(), frame.Customer(c), reader(c), id, name)
	if f := web.Told(c, err); err != nil && f.Fields["name"] != "" {
		return p.showNotifications(c, http.StatusUnprocessableEntity, views.NotificationsProps{
			Problems: map[string]string{nameField(id): i18n.Say(web.Context(c), f.Fields["name"])},
		})
	}
	if err != nil {
		return err
	}
	return saidHere(c, "portal.push.said_name", "name", name)
}

// removeDevice answers POST /app/settings/notifications/:device/off.
func (p *Pages) removeDevice(c echo.Context) error {
	if err := p.Devices.Remove(c.Request().Context(), frame.Customer(c), reader(c), c.Param("device"), actor(c)); err != nil {
		return err
	}
	return saidHere(c, "portal.push.said_off")
}

// testDevice answers POST /app/settings/notifications/:device/test.
func (p *Pages) testDevice(c echo.Context) error {
	if err := p.Devices.Test(c.Request().Context(), frame.Customer(c), reader(c), c.Param("device")); err != nil {
		return err
	}
	return saidHere(c, "portal.push.said_test")
}

// saveQuiet answers POST /app/settings/quiet-hours.
func (p *Pages) saveQuiet(c echo.Context) error {
	from, to := c.FormValue("from"), c.FormValue("to")
	was, err := p.Devices.Quiet(c.Request().Context(), reader(c))
	if err != nil {
		return err
	}
	q, err := push.ParseQuiet(from, to)
	if err == nil {
		err = p.Devices.SetQuiet(c.Request().Context(), frame.Customer(c), reader(c), q)
	}
	if err != nil {
		return p.refusedNotification(c, err, views.NotificationsProps{From: from, To: to})
	}
	text := i18n.T(web.Context(c), "portal.push.said_quiet_none")
	if q.IsSet() {
		text = i18n.T(web.Context(c), "portal.push.said_quiet", "from", from, "to", to)
	}
	if was == q {
		web.Flash(c, "ok", text)
	} else {
		from, to = was.Clock()
		web.FlashUndo(c, text, web.Undo{Path: views.QuietPath, Fields: map[string]string{"from": from, "to": to}})
	}
	return frame.GoTo(c, portal.Notifications)
}

// refusedNotification shows the page again with what is wrong, or hands on what is not the person's fault.
func (p *Pages) refusedNotification(c echo.Context, err error, props views.NotificationsProps) error {
	switch f := web.Told(c, err); {
	case f.Kind == fault.Invalid && len(f.Fields) > 0:
		props.Problems = i18n.SayAll(web.Context(c), f.Fields)
		return p.showNotifications(c, http.StatusUnprocessableEntity, props)
	case f.Kind == fault.Invalid:
		props.Problem = i18n.Say(web.Context(c), f.Public)
		return p.showNotifications(c, http.StatusUnprocessableEntity, props)
	case f.Kind == fault.Conflict:
		props.Problem = i18n.Say(web.Context(c), f.Public)
		return p.showNotifications(c, http.StatusConflict, props)
	}
	return err
}

// saidHere leaves what is true now for the page of notifications, and goes there.
func saidHere(c echo.Context, key i18n.Key, values ...any) error {
	web.Flash(c, "ok", i18n.T(web.Context(c), key, values...))
	return web.SeeOther(c, portal.Notifications)
}
