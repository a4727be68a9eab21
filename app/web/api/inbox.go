package api

import (
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/approval"
	"gatehouse/app/page"
	"gatehouse/app/web"
	"gatehouse/app/web/jsonbody"
	"gatehouse/app/web/session"
)

// approvals answers GET approvals.
func (h *handler) approvals(c echo.Context) error {
	q, err := queryOf(c, asked)
	if err != nil {
		return err
	}
	of, err := h.Inbox.List(c.Request().Context(), customerOf(c), q)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, list(of, func(a approval.Item) wire.Approval { return a.Approval }))
}

// approval answers GET approvals/{id}.
func (h *handler) approval(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	a, err := h.Inbox.Get(c.Request().Context(), customerOf(c), id)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, a.Approval)
}

func queryOf(c echo.Context, ask func(echo.Context) (page.Ask, error)) (approval.Query, error) {
	wanted, err := ask(c)
	if err != nil {
		return approval.Query{}, err
	}
	status := c.QueryParam("status")
	switch status {
	case "":
		status = "pending"
	case "pending", "decided":
	default:
		return approval.Query{}, jsonbody.Bad("status must be pending or decided.")
	}
	return approval.Query{Status: status, Page: wanted}, nil
}

// decideRequest is the body of POST approvals/{id}.
type decideRequest struct {
	Decision  wire.Verb       `json:"decision"`
	Minutes   int             `json:"minutes"`
	Scope     json.RawMessage `json:"scope"`
	Args      json.RawMessage `json:"args"`
	Reason    string          `json:"reason"`
	Digest    string          `json:"digest"`
	Signature *wire.Signature `json:"signature"` // on everything but a deny
}

// decideResponse is its answer.
type decideResponse struct {
	ID        string             `json:"id"`
	State     wire.ApprovalState `json:"state"`
	Execution wire.Execution     `json:"execution"`
	Next      *string            `json:"next"`
}

// decide answers POST approvals/{id}. A decision that comes too late gets 409 with the earlier one.
func (h *handler) decide(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	var in decideRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	a, err := h.Inbox.Decide(c.Request().Context(), customerOf(c), id, approval.Answer{
		Verb: in.Decision, Minutes: in.Minutes, Scope: given(in.Scope), Args: in.Args, Reason: in.Reason, Digest: in.Digest, By: decider(c),
		Signature: in.Signature,
	})
	var earlier *approval.DecidedError
	switch {
	case errors.As(err, &earlier):
		return tooLate(c, earlier)
	case err != nil:
		return err
	}
	out := decideResponse{ID: a.ID, State: a.State, Execution: a.Execution}
	if a.Next != "" {
		out.Next = &a.Next
	}
	return c.JSON(http.StatusOK, out)
}

// given is raw, or nothing where null stands for it.
func given(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

func decider(c echo.Context) wire.DecidedBy {
	who := session.Of(c)
	return wire.DecidedBy{UserID: who.UserID, Name: who.Email, Role: who.Role, Channel: "api", Address: c.RealIP(), Method: "token"}
}

// lateProblem is a problem document with the decision that came first.
type lateProblem struct {
	web.Problem
	Decision wire.Verb          `json:"decision,omitempty"`
	By       string             `json:"by,omitempty"`
	Time     time.Time          `json:"time,omitzero"`
	State    wire.ApprovalState `json:"state"`
}

func tooLate(c echo.Context, e *approval.DecidedError) error {
	c.Response().Header().Set(echo.HeaderContentType, "application/problem+json")
	return c.JSON(http.StatusConflict, lateProblem{
		Problem: web.Problem{
			Type: approval.ErrDecided.Code, Title: http.StatusText(http.StatusConflict), Status: http.StatusConflict,
			Detail: approval.ErrDecided.Public, RequestID: web.RequestID(c),
		},
		Decision: e.Decision, By: e.By, Time: e.Time, State: e.State,
	})
}
