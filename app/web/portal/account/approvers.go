package account

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/approver"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"

	"gatehouse/views/portal"
	views "gatehouse/views/portal/account"
)

// approvers answers GET /app/settings/approvers: the keys whose signature allows.
func (p *Pages) approvers(c echo.Context) error { return p.showApprovers(c, http.StatusOK, "") }

func (p *Pages) showApprovers(c echo.Context, status int, problem string) error {
	ctx := web.Context(c)
	ring, waiting, err := p.Keys.Asking(c.Request().Context(), frame.Customer(c))
	if err != nil && fault.Of(err).Kind != fault.NotFound { // a server that is not there yet has no keys
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: i18n.T(ctx, "portal.approvers.title")})
	if err != nil {
		return err
	}
	outer.Failed = problem != ""
	used, err := p.Keys.Used(c.Request().Context(), frame.Customer(c))
	if err != nil {
		return err
	}
	props := approversOf(ctx, ring, used)
	props.Waiting = waitingOf(ctx, waiting)
	props.Next, props.Problem = web.LocalPath(c.QueryParam("next"), portal.Approvers), problem
	return web.Render(c, status, views.ApproversPage(outer, props))
}

// approversOf shows the keys; used says when those of staff allowed something last.
func approversOf(ctx context.Context, ring approver.Ring, used map[string]time.Time) views.ApproversProps {
	people := 0
	for _, k := range ring.Keys {
		if k.Holder == wire.HolderPerson {
			people++
		}
	}
	out := views.ApproversProps{Server: string(ring.ServerID), Version: ring.Version}
	for _, k := range ring.Keys {
		key := views.KeyProps{
			ID: k.KeyID, Label: k.Label, Kind: keyKind(ctx, k.Kind), Fingerprint: approver.Fingerprint(k.SPKI), Added: addedBy(ctx, ring, k.AddedBy),
			Created: k.CreatedAt, Device: k.Kind != wire.SoftwareKey,
		}
		if k.Holder == wire.HolderStaff {
			key.Used = used[k.KeyID]
			out.Staff = append(out.Staff, key)
			continue
		}
		if people > 1 {
			b, _ := json.Marshal(wire.RevokeBody{KeyID: k.KeyID}) // a string always has JSON
			key.Revoke = string(b)
		}
		out.Keys = append(out.Keys, key)
	}
	return out
}

var keyKinds = map[wire.KeyKind]i18n.Key{
	wire.BrowserKey: "portal.approvers.kind_browser", wire.PasskeyKey: "portal.approvers.kind_passkey",
	wire.SoftwareKey: "portal.approvers.kind_software",
}

func keyKind(ctx context.Context, k wire.KeyKind) string {
	if word, ok := keyKinds[k]; ok {
		return i18n.T(ctx, word)
	}
	return string(k)
}

func addedBy(ctx context.Context, ring approver.Ring, by string) string {
	switch by {
	case "code":
		return i18n.T(ctx, "portal.approvers.by_code")
	case wire.AddedByOrder:
		return i18n.T(ctx, "portal.approvers.by_order")
	case "recovery":
		return i18n.T(ctx, "portal.approvers.by_recovery")
	}
	for _, k := range ring.Keys {
		if k.KeyID == by {
			return i18n.T(ctx, "portal.approvers.by_key", "key", k.Label)
		}
	}
	return i18n.T(ctx, "portal.approvers.by_gone")
}

// enrolKey answers POST /app/settings/approvers, which only the script sends: it keeps the code and the private key.
func (p *Pages) enrolKey(c echo.Context) error {
	out, err := p.Keys.Enrol(c.Request().Context(), frame.Customer(c), wire.Enrolment{
		SPKI: c.FormValue("spki"), Kind: wire.KeyKind(c.FormValue("kind")), Holder: wire.HolderPerson, Label: c.FormValue("label"),
		Credential: c.FormValue("credential"), Proof: c.FormValue("proof"), Recovery: c.FormValue("recovery") != "", By: inbox.Decider(c),
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, out)
}

// revokeKey answers POST /app/settings/approvers/:key/revoke. Whether it needed the signature, the server says.
func (p *Pages) revokeKey(c echo.Context) error {
	version, sig, err := signing.Fields(c)
	if err != nil {
		return err
	}
	_, err = p.Keys.Revoke(c.Request().Context(), frame.Customer(c), wire.Revocation{
		KeyID: c.Param("key"), Version: version, Signature: sig, By: inbox.Decider(c),
	})
	return p.keysAgain(c, err)
}
