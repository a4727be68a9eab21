package credential

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/credential"
)

// askDelete answers GET /app/credentials/:name/delete: what deleting a secret means, and the button that does it.
func (p *Pages) askDelete(c echo.Context) error { return p.showDelete(c, http.StatusOK, "") }

// remove answers POST /app/credentials/:name/delete. The script has signed it, and the server checks that.
func (p *Pages) remove(c echo.Context) error {
	sig, err := inbox.SignatureOf(c)
	if err != nil {
		return err
	}
	in := wire.SecretDelete{Name: c.Param("name"), Signature: sig, By: inbox.Decider(c)}
	err = p.Credentials.Delete(c.Request().Context(), frame.Customer(c), in)
	switch f := web.Told(c, err); {
	case err == nil:
		frame.Said(c, "credential.now_deleted", "name", in.Name)
		return web.SeeOther(c, portal.Credentials)
	case f.Kind == fault.Conflict, f.Kind == fault.Forbidden, f.Kind == fault.Away:
		return p.showDelete(c, web.StatusOf(f.Kind), f.Public)
	}
	return err
}

func (p *Pages) showDelete(c echo.Context, status int, problem string) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	all, err := p.Credentials.List(ctx, frame.Customer(c))
	if frame.IsAway(err) {
		return p.Frames.Away(c, i18n.T(web.Context(c), "credential.delete_head"))
	}
	if err != nil {
		return err
	}
	s, ok := secretNamed(all.Items, c.Param("name"))
	if !ok {
		return errSecret
	}
	props := views.DeleteProps{Name: s.Name, Bindings: bindingProps(s.Bindings), Problem: problem}
	if props.ServerID, props.ConfigVersion, err = signing.BoundTo(c, p.Frames, p.Team); err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(web.Context(c), "credential.delete_title", "name", s.Name)})
	if err != nil {
		return err
	}
	outer.Failed = problem != ""
	return web.Render(c, status, views.DeletePage(outer, props))
}
