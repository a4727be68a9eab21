package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/approver"
	"gatehouse/app/web/jsonbody"
	"gatehouse/app/web/session"
)

// keyring is the answer to GET approver-keys: with what a client needs to sign changes of power.
type keyring struct {
	ServerID      string             `json:"server_id"`
	ConfigVersion int64              `json:"config_version"`
	Items         []wire.ApproverKey `json:"items"`
}

func keyringOf(r approver.Ring) keyring {
	if r.Keys == nil {
		r.Keys = []wire.ApproverKey{}
	}
	return keyring{ServerID: string(r.ServerID), ConfigVersion: r.Version, Items: r.Keys}
}

// approverKeys answers GET approver-keys.
func (h *handler) approverKeys(c echo.Context) error {
	ring, err := h.Keys.Of(c.Request().Context(), customerOf(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, keyringOf(ring))
}

// enrolRequest is the body of POST approver-keys.
type enrolRequest struct {
	SPKI          string          `json:"spki"`
	Kind          wire.KeyKind    `json:"kind"`
	Holder        wire.Holder     `json:"holder"`
	Label         string          `json:"label"`
	Credential    string          `json:"credential_id"`
	Proof         string          `json:"proof"`
	Recovery      bool            `json:"recovery"`
	ConfigVersion int64           `json:"config_version"`
	Signature     *wire.Signature `json:"signature"`
}

// enrolKey answers POST approver-keys.
func (h *handler) enrolKey(c echo.Context) error {
	in := enrolRequest{Holder: wire.HolderPerson}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	out, err := h.Keys.EnrolFor(c.Request().Context(), customerOf(c), session.Of(c).UserID, wire.Enrolment{
		SPKI: in.SPKI, Kind: in.Kind, Holder: in.Holder, Label: in.Label, Credential: in.Credential, Proof: in.Proof, Recovery: in.Recovery,
		Version: in.ConfigVersion, Signature: in.Signature, By: decider(c),
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, out)
}

// revokeRequest is the body of POST approver-keys/{key}/revoke.
type revokeRequest struct {
	ConfigVersion int64           `json:"config_version"`
	Signature     *wire.Signature `json:"signature"`
}

// revokeKey answers POST approver-keys/{key}/revoke.
func (h *handler) revokeKey(c echo.Context) error {
	var in revokeRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	ctx, of := c.Request().Context(), customerOf(c)
	left, err := h.Keys.Revoke(ctx, of, wire.Revocation{KeyID: c.Param("key"), Version: in.ConfigVersion, Signature: in.Signature, By: decider(c)})
	if err != nil {
		return err
	}
	ring, err := h.Keys.Of(ctx, of)
	if err != nil {
		return err
	}
	ring.Keys = left.Keys
	return c.JSON(http.StatusOK, keyringOf(ring))
}
