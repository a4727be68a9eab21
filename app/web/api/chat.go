package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/chat"
	"gatehouse/app/fault"
	"gatehouse/app/web/jsonbody"
	"gatehouse/app/web/once"
)

// chatRequest is the body of POST chat.
type chatRequest struct {
	Agent     string   `json:"agent"`
	Text      string   `json:"text"`
	SessionID string   `json:"session_id"`
	Files     []string `json:"files"`
}

// chatResponse is its answer.
type chatResponse struct {
	RunID     string        `json:"run_id"`
	SessionID string        `json:"session_id"`
	State     wire.RunState `json:"state"`
}

// postChat answers POST chat: 202 as soon as the message is safe.
func (h *handler) postChat(c echo.Context) error {
	var in chatRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	m := chat.Message{SessionID: in.SessionID, Agent: in.Agent, Text: in.Text, Files: in.Files, Once: once.Key(c.Request())}
	sent, err := h.Chat.Send(c.Request().Context(), customerOf(c), originOf(c), m)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, chatResponse{RunID: sent.RunID, SessionID: sent.SessionID, State: wire.RunQueued})
}

// cancelResponse is the answer to POST runs/{run}/cancel.
type cancelResponse struct {
	RunID string        `json:"run_id"`
	State wire.RunState `json:"state"`
}

// errAlone refuses a parameter that could be read as either.
var errAlone = fault.New(fault.Invalid, "invalid", "alone is neither true nor false",
	"The parameter alone is true or false. Nothing was stopped.")

// cancel answers POST runs/{run}/cancel, when the run has stopped or the wish to stop it is safe. With alone=true only that run
// of its tree is stopped.
func (h *handler) cancel(c echo.Context) error {
	run, err := idParam(c, "run")
	if err != nil {
		return err
	}
	if err := jsonbody.None(c); err != nil {
		return err
	}
	stop := h.Chat.Cancel
	switch c.QueryParam("alone") {
	case "", "false":
	case "true":
		stop = h.Chat.CancelAlone
	default:
		return errAlone
	}
	done, err := stop(c.Request().Context(), customerOf(c), originOf(c), run)
	if err != nil {
		return err
	}
	state := done.State
	if done.Queued {
		state = wire.RunQueued
	}
	return c.JSON(http.StatusAccepted, cancelResponse{RunID: run, State: state})
}

// receipts answers GET runs/{run}/receipts.
func (h *handler) receipts(c echo.Context) error {
	run, err := idParam(c, "run")
	if err != nil {
		return err
	}
	res, err := h.Chat.Receipts(c.Request().Context(), customerOf(c), run)
	if err != nil {
		return err
	}
	if res.Items == nil {
		res.Items = []wire.Receipt{}
	}
	return c.JSON(http.StatusOK, res)
}

// agents answers GET agents. A team is small: it is one page.
func (h *handler) agents(c echo.Context) error {
	res, err := h.Chat.Agents(c.Request().Context(), customerOf(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		wire.AgentsResult
		Next *string `json:"next"`
	}{AgentsResult: res})
}
