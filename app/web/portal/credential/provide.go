package credential

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/credential"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/credential"
)

// provide answers POST /app/credentials: a sealed value for the vault, and for the call that waits for it.
func (p *Pages) provide(c echo.Context) error {
	kind := c.FormValue("kind")
	in := wire.SecretProvide{
		Name: credential.NameOf(c.FormValue("name"), kind), Request: c.FormValue("request"), Kind: kind, Nonce: c.FormValue("nonce"),
		Box: wire.SecretBox(c.FormValue("box")), By: inbox.Decider(c),
	}
	if in.Box == "" {
		return errUnsealed
	}
	err := p.isNew(c, in.Request, in.Name)
	if err == nil {
		_, err = p.Credentials.Provide(c.Request().Context(), frame.Customer(c), in)
	}
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return p.showList(c, http.StatusUnprocessableEntity, views.ListProps{Name: c.FormValue("name"), Kind: in.Kind, Problems: web.ProblemsAt("name", f)})
	}
	if err != nil {
		return err
	}
	frame.Said(c, "credential.now_kept", "name", in.Name)
	return web.SeeOther(c, back(c, views.OnePath(in.Name)))
}

// isNew refuses a name that is taken, unless a call waits for its value: the value in use would be replaced by one that
// its service does not know.
func (p *Pages) isNew(c echo.Context, request, name string) error {
	if request != "" {
		return nil
	}
	all, err := p.Credentials.List(c.Request().Context(), frame.Customer(c))
	if _, taken := secretNamed(all.Items, name); err == nil && taken {
		return errTaken
	}
	return err
}

// errTaken refuses to add what is there already.
var errTaken = fault.New(fault.Invalid, "secret-exists", "secret of that name exists",
	"A credential with this name already exists. Nothing was changed. Open it to replace its value.")

// errUnsealed refuses a form that the script did not seal.
var errUnsealed = fault.New(fault.Invalid, "unsealed", "form without a sealed value",
	"Your browser must encrypt the value before it sends it, which needs JavaScript. Nothing was sent or saved. Switch JavaScript on for this page and try again.")

// generate answers POST /app/credentials/generate: the server makes a value that nobody sees.
func (p *Pages) generate(c echo.Context) error {
	in := wire.SecretGenerate{
		Name: credential.NameOf(c.FormValue("new"), ""), Request: c.FormValue("request"), Constraints: shapeOf(c), By: inbox.Decider(c),
	}
	err := p.isNew(c, in.Request, in.Name)
	if err == nil {
		_, err = p.Credentials.Generate(c.Request().Context(), frame.Customer(c), in)
	}
	if f := web.Told(c, err); err != nil && f.Kind == fault.Invalid {
		return p.showList(c, http.StatusUnprocessableEntity, views.ListProps{New: c.FormValue("new"), Problems: web.ProblemsAt("new", f)})
	}
	if err != nil {
		return err
	}
	frame.Said(c, "credential.now_made", "name", in.Name)
	return web.SeeOther(c, back(c, views.OnePath(in.Name)))
}

// decline answers POST /app/credentials/decline: the call that waits gets no value.
func (p *Pages) decline(c echo.Context) error {
	_, err := p.Credentials.Decline(c.Request().Context(), frame.Customer(c), wire.SecretDecline{
		Request: c.FormValue("request"), Reason: c.FormValue("reason"), By: inbox.Decider(c),
	})
	if err != nil {
		return err
	}
	frame.Said(c, "credential.now_declined")
	return web.SeeOther(c, back(c, portal.Credentials))
}

// back is where a form leads that stands in a conversation; otherwise to.
func back(c echo.Context, to string) string {
	if session := c.FormValue("session"); session != "" {
		return portal.ChatPath(session)
	}
	return to
}
