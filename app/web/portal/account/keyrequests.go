package account

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/approver"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/account"
)

func waitingOf(ctx context.Context, waiting []approver.Request) []views.WaitingKeyProps {
	var out []views.WaitingKeyProps
	for _, r := range waiting {
		body, _ := json.Marshal(r.Body()) // strings always have JSON
		life := approver.RequestLife
		if r.Staff != "" {
			life = approver.StaffLife
		}
		out = append(out, views.WaitingKeyProps{
			ID: r.KeyID, Label: r.Label, Kind: keyKind(ctx, r.Kind), Words: approver.Words(r.SPKI), Fingerprint: approver.Fingerprint(r.SPKI),
			Address: r.Address, At: r.At, Until: r.At.Add(life), Body: string(body), Staff: r.Staff != "",
			User: r.User, Person: r.Person, Member: r.Member,
		})
	}
	return out
}

// askForKey answers POST /app/settings/approver-requests, which only the script sends: it keeps the private key.
func (p *Pages) askForKey(c echo.Context) error {
	r, err := p.Keys.Ask(c.Request().Context(), frame.Customer(c), approver.Request{
		SPKI: c.FormValue("spki"), Kind: wire.KeyKind(c.FormValue("kind")),
		Label: c.FormValue("label"), Credential: c.FormValue("credential"), Address: c.RealIP(), User: session.Of(c).UserID,
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, map[string]string{"key_id": r.KeyID})
}

// vouch answers POST /app/settings/approver-requests/:key/add, signed by a key that is enrolled.
func (p *Pages) vouch(c echo.Context) error {
	version, sig, err := signing.Fields(c)
	if err != nil {
		return err
	}
	err = p.Keys.Vouch(c.Request().Context(), frame.Customer(c), c.Param("key"), version, sig, inbox.Decider(c))
	return p.keysAgain(c, err, "portal.approvers.now_added")
}

// refuseKey answers POST /app/settings/approver-requests/:key/refuse.
func (p *Pages) refuseKey(c echo.Context) error {
	err := p.Keys.Refuse(c.Request().Context(), frame.Customer(c), c.Param("key"))
	return p.keysAgain(c, err, "portal.approvers.now_refused")
}

// keysAgain shows the page of keys after a change, with what is true now, or why there was none.
func (p *Pages) keysAgain(c echo.Context, err error, now i18n.Key) error {
	switch f := web.Told(c, err); {
	case err == nil:
		frame.Said(c, now)
		return web.SeeOther(c, portal.Approvers)
	case f.Kind == fault.Conflict:
		return p.showApprovers(c, http.StatusConflict, f.Public)
	case f.Kind == fault.NotFound:
		return p.showApprovers(c, http.StatusNotFound, f.Public)
	}
	return err
}
