package account

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/approver"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/account"
)

// recoveryOf is the recovery code that waits for its browser; nil when none does.
func recoveryOf(ring approver.Ring) *ui.Recovery {
	if ring.Recovery == nil || ring.Vouched == nil {
		return nil
	}
	return &ui.Recovery{
		Server: string(ring.ServerID), Card: ring.Vouched.Key, KeyID: ring.Recovery.KeyID, Box: string(ring.Recovery.Box),
		Sig: ring.Recovery.Sig, Kept: views.RecoveryKeptPath,
	}
}

// newRecovery answers POST /app/settings/approvers/recovery, which only the script sends: it keeps the key that opens the
// answer.
func (p *Pages) newRecovery(c echo.Context) error {
	version, sig, err := signing.Fields(c)
	if err != nil {
		return err
	}
	out, err := p.Keys.NewRecovery(c.Request().Context(), frame.Customer(c), wire.RecoveryAsk{
		Key: c.FormValue("box_key"), Version: version, Signature: sig, By: inbox.Decider(c),
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, out)
}

// recoveryKept answers POST /app/settings/approvers/recovery/kept, which only the script sends: it has asked for four groups of
// the code, and proves that it knows the code.
func (p *Pages) recoveryKept(c echo.Context) error {
	kept := wire.RecoveryKept{Proof: c.FormValue("proof"), By: inbox.Decider(c)}
	err := p.Keys.RecoveryKept(c.Request().Context(), frame.Customer(c), kept)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct{}{})
}
