package credential

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/credential"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"

	views "gatehouse/views/portal/credential"
)

// errSecret says that there is no such secret.
var errSecret = fault.New(fault.NotFound, "secret-unknown", "no such secret", "There is no credential with this name on your server.")

// one answers GET /app/credentials/:name: one secret with everything but its value.
func (p *Pages) one(c echo.Context) error {
	return p.showOne(c, http.StatusOK, views.Props{})
}

// showOne fills props in and shows them; what is set already is why a form was refused.
func (p *Pages) showOne(c echo.Context, status int, props views.Props) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	props.Name, props.Typed, props.BindingsHash = c.Param("name"), c.FormValue("bindings"), c.FormValue("base")
	props.Refused = c.Request().PostForm.Has("bindings")
	err := p.fillOne(ctx, c, &props)
	if props.Away = frame.IsAway(err); err != nil && !props.Away {
		return err
	}
	if props.ServerID, props.ConfigVersion, err = signing.BoundTo(c, p.Frames, p.Team); err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: props.Name, Away: props.Away})
	if err != nil {
		return err
	}
	outer.Failed = status >= http.StatusBadRequest
	return web.Render(c, status, views.Page(outer, props))
}

func (p *Pages) fillOne(ctx context.Context, c echo.Context, props *views.Props) error {
	of := frame.Customer(c)
	all, err := p.Credentials.List(ctx, of)
	if err != nil {
		return err
	}
	s, ok := secretNamed(all.Items, props.Name)
	if !ok {
		return errSecret
	}
	props.RowProps, props.Created, props.Expires = rowProps(s), s.CreatedAt, s.ExpiresAt
	props.Bindings, props.BindingsHash, props.Versions = bindingProps(s.Bindings), s.BindingsHash, versionProps(web.Context(c), s)
	props.Audit, err = p.accesses(ctx, of, s.Name)
	return err
}

func versionProps(ctx context.Context, s wire.SecretInfo) []views.VersionProps {
	out := make([]views.VersionProps, 0, len(s.Versions))
	for _, v := range s.Versions {
		out = append(out, views.VersionProps{N: v.N, State: stateWord(ctx, v.State), At: v.CreatedAt, Back: v.State == "former"})
	}
	return out
}

// rotate answers POST /app/credentials/:name/rotate: with a sealed value, or one that the server makes.
func (p *Pages) rotate(c echo.Context) error {
	_, err := p.Credentials.Rotate(c.Request().Context(), frame.Customer(c), wire.SecretRotate{
		Name: c.Param("name"), Nonce: c.FormValue("nonce"), Box: wire.SecretBox(c.FormValue("box")), By: inbox.Decider(c),
	})
	return p.changed(c, change{"#versions", "credential.now_rotated"}, err)
}

// rollback answers POST /app/credentials/:name/rollback.
func (p *Pages) rollback(c echo.Context) error {
	n, err := strconv.Atoi(c.FormValue("version"))
	if err != nil {
		return errSecret
	}
	in := wire.SecretRollback{Name: c.Param("name"), Version: n, By: inbox.Decider(c)}
	_, err = p.Credentials.Rollback(c.Request().Context(), frame.Customer(c), in)
	return p.changed(c, change{"#versions", "credential.now_former"}, err)
}

// change is a change of a secret: the part of the page that tells of it, and what is true now.
type change struct {
	part string
	now  i18n.Key
}

// changed shows the secret after a change, or with what was refused.
func (p *Pages) changed(c echo.Context, made change, err error) error {
	if err == nil {
		frame.Said(c, made.now, "name", c.Param("name"))
		return web.SeeOther(c, views.OnePath(c.Param("name"))+made.part)
	}
	f := web.Told(c, err)
	props := views.Props{Problem: f.Public, Problems: f.Fields}
	switch f.Kind {
	case fault.Invalid, fault.Conflict, fault.Forbidden, fault.Malformed:
	case fault.Away:
		props.Problem = i18n.T(web.Context(c), "credential.no_answer")
	default:
		return err
	}
	return p.showOne(c, web.StatusOf(f.Kind), props)
}

// reveal answers POST /app/credentials/:name/reveal: the value in a box that only the asking browser opens. Only a
// script asks; an error comes as a page whose words it shows.
func (p *Pages) reveal(c echo.Context) error {
	sig, err := inbox.SignatureOf(c)
	if err != nil {
		return err
	}
	got, err := p.Credentials.Reveal(c.Request().Context(), frame.Customer(c), wire.SecretReveal{
		Name: c.Param("name"), Nonce: c.FormValue("nonce"), ReplyKey: c.FormValue("reply_key"), Signature: sig, By: inbox.Decider(c),
	}, c.FormValue("password"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, got)
}

// share answers POST /app/credentials/share: keeps a one-time link that the script made.
func (p *Pages) share(c echo.Context) error {
	kind, name := credential.LinkKind(c.FormValue("kind")), strings.TrimSpace(c.FormValue("name"))
	if kind == credential.LinkGive {
		name = credential.NameOf(name, "")
	}
	l, err := p.Credentials.Share(c.Request().Context(), frame.Customer(c), credential.Link{
		Kind: kind, Name: name,
		Box: c.FormValue("box"), By: session.Of(c).Email,
	}, c.FormValue("take"))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string]any{"id": l.ID, "path": "/s/" + l.ID, "expires_at": l.ExpiresAt})
}
