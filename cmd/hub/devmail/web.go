package devmail

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/app/fault"
	"gatehouse/app/web"
	views "gatehouse/views/devmail"
)

// listed is how many mails the list shows.
const listed = 100

// noRights is the policy of a part that somebody else wrote: no scripts, no requests, an origin of its own.
const noRights = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"

// Routes are the pages to read caught mail. They are for anyone: the hub listens on loopback alone where they exist.
func Routes(s *Store) []web.Route {
	get := func(path string, do echo.HandlerFunc) web.Route {
		return web.Route{Method: http.MethodGet, Path: path, For: web.Anyone, Do: do}
	}
	return []web.Route{
		{Method: http.MethodPost, Path: views.ListPath, For: web.Anyone, Do: s.write},
		get(views.ListPath, s.list), get(views.MailPath(":id"), s.one), get(views.HTMLPath(":id"), s.html), get(views.RawPath(":id"), s.raw),
	}
}

// list answers GET /dev/mail.
func (s *Store) list(c echo.Context) error {
	ids, err := s.IDs()
	if err != nil {
		return err
	}
	var mails []views.Mail
	for _, id := range ids[:min(len(ids), listed)] {
		m, err := s.Get(id)
		if err != nil {
			return err
		}
		mails = append(mails, props(m))
	}
	return web.Render(c, http.StatusOK, views.List(mails, s.team()))
}

// team is the address to write to; empty: there is none.
func (s *Store) team() string {
	if s.Team == nil {
		return ""
	}
	return s.Team.Address
}

// write answers POST /dev/mail: a mail of the demo's owner to the team.
func (s *Store) write(c echo.Context) error {
	if s.Team == nil {
		return fault.New(fault.NotFound, "no-mailbox", "no mailbox", "The demo's team has no mailbox.")
	}
	l := Letter{From: s.Team.Owner, To: s.Team.Address, Subject: c.FormValue("subject"), Text: c.FormValue("text")}
	raw := l.Raw(s.now())
	if err := errors.Join(s.Add(l.From, []string{l.To}, raw), s.Team.Deliver(l.From, raw)); err != nil {
		return err
	}
	return web.SeeOther(c, views.ListPath)
}

// one answers GET /dev/mail/:id.
func (s *Store) one(c echo.Context) error {
	m, err := s.Get(c.Param("id"))
	if err != nil {
		return notFound(err)
	}
	return web.Render(c, http.StatusOK, views.One(props(m)))
}

// html answers GET /dev/mail/:id/html: the HTML part, with no rights at all.
func (s *Store) html(c echo.Context) error {
	m, err := s.Get(c.Param("id"))
	if err != nil {
		return notFound(err)
	}
	c.Response().Header().Set("Content-Security-Policy", noRights)
	return c.HTML(http.StatusOK, m.HTML)
}

// raw answers GET /dev/mail/:id/raw.
func (s *Store) raw(c echo.Context) error {
	b, err := s.Raw(c.Param("id"))
	if err != nil {
		return notFound(err)
	}
	return c.Blob(http.StatusOK, "text/plain; charset=utf-8", b)
}

func notFound(err error) error {
	if errors.Is(err, ErrNotFound) {
		return fault.New(fault.NotFound, "no-mail", "no such mail", "There is no email with this ID. Only the newest 500 are kept.")
	}
	return err
}

func props(m Mail) views.Mail {
	return views.Mail{ID: m.ID, From: m.From, To: m.To, Subject: m.Subject, Received: m.Received, Text: m.Text, HTML: m.HTML != ""}
}
