package account

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/approver"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/app/web/session"
	"gatehouse/views/i18n"
	"gatehouse/views/layout"

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
	people, err := p.Keys.People(c.Request().Context(), frame.Customer(c))
	if err != nil {
		return err
	}
	props := approversOf(ctx, ring, used, people)
	props.Waiting, props.Recovery = waitingOf(ctx, waiting), recoveryOf(ring)
	if who := session.Of(c); !who.Rights().May(account.Manage) {
		ownOnly(&props, who.UserID)
		return p.showRing(c, outer, status, props, problem)
	}
	if props.Unwritten, err = frame.Unwritten(c.Request().Context(), p.Keys, frame.Customer(c)); err != nil {
		return err
	}
	return p.showRing(c, outer, status, props, problem)
}

func (p *Pages) showRing(c echo.Context, outer layout.Frame, status int, props views.ApproversProps, problem string) error {
	props.Next, props.Problem = web.LocalPath(c.QueryParam("next"), portal.Approvers), problem
	return web.Render(c, status, views.ApproversPage(outer, props))
}

// ownOnly leaves a member what is theirs: devices of others are for owners to see.
func ownOnly(p *views.ApproversProps, userID string) {
	p.Keys = slices.DeleteFunc(p.Keys, func(k views.KeyProps) bool { return k.User != userID })
	p.Waiting = slices.DeleteFunc(p.Waiting, func(k views.WaitingKeyProps) bool { return k.User != userID })
	p.Staff, p.Recovery = nil, nil
	for i := range p.Keys {
		p.Keys[i].Revoke = ""
	}
}

// approversOf shows the keys; used says when those of staff allowed something last, and people whose the others are.
func approversOf(
	ctx context.Context, ring approver.Ring, used map[string]time.Time, people map[string]approver.Person,
) views.ApproversProps {
	owners := 0
	for _, k := range ring.Keys {
		if k.Holder == wire.HolderPerson {
			owners++
		}
	}
	out := views.ApproversProps{Server: string(ring.ServerID), Version: ring.Version}
	for _, k := range ring.Keys {
		key := views.KeyProps{
			ID: k.KeyID, Label: k.Label, Kind: keyKind(ctx, k.Kind), Words: approver.Words(k.SPKI), Fingerprint: approver.Fingerprint(k.SPKI),
			Added: addedBy(ctx, ring, k.AddedBy), Created: k.CreatedAt, Device: k.Kind != wire.SoftwareKey,
		}
		if k.Holder == wire.HolderStaff {
			key.Used = used[k.KeyID]
			out.Staff = append(out.Staff, key)
			continue
		}
		if by, known := people[k.KeyID]; known {
			key.User, key.Person, key.Outlived = by.UserID, by.Name, by.Outlived(k.Holder)
		}
		key.Member = k.Holder == wire.HolderMember
		out.Vouchers = out.Vouchers || !key.Member && key.Device
		if owners > 1 || key.Member {
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
	out, err := p.Keys.EnrolFor(c.Request().Context(), frame.Customer(c), session.Of(c).UserID, wire.Enrolment{
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
	return p.keysAgain(c, err, "portal.approvers.now_revoked")
}
