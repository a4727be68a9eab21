package api

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/web"
	"gatehouse/app/web/jsonbody"
)

// Memory is what the API needs of what the team remembers; memory.Service has it.
type Memory interface {
	List(ctx context.Context, of account.CustomerID, p wire.MemoryParams) (wire.MemoryResult, error)
	Change(ctx context.Context, of account.CustomerID, c wire.MemoryChange) (wire.MemoryNote, error)
}

// memoryNote is one thing that is remembered.
type memoryNote struct {
	ID     string            `json:"id"`
	Agent  string            `json:"agent"`
	Text   string            `json:"text"`
	Origin wire.MemoryOrigin `json:"origin"`
	Trust  int               `json:"trust"`
	Core   bool              `json:"core"`
	File   string            `json:"file"`
	Line   int               `json:"line"`
	Score  float64           `json:"score"`
	Day    *time.Time        `json:"day"`
	At     *time.Time        `json:"at"`
	RunID  string            `json:"run_id"`
	By     string            `json:"by"`
	Held   string            `json:"held"`
}

func memoryNoteOf(n wire.MemoryNote) memoryNote {
	return memoryNote{
		ID: n.ID, Agent: n.Agent, Text: n.Text, Origin: n.Origin, Trust: n.Trust, Core: n.Core, File: n.File, Line: n.Line, Score: n.Score,
		Day: unlessZero(n.Day), At: unlessZero(n.At), RunID: n.RunID, By: n.By, Held: n.Held,
	}
}

// memoryRoutes are those of what the team remembers.
func (h *handler) memoryRoutes(at func(method, path string, right account.Right, do echo.HandlerFunc) web.Route) []web.Route {
	return []web.Route{
		at(http.MethodGet, "/memory", account.Look, h.memory),
		at(http.MethodPost, "/memory", account.Manage, h.stateMemory),
		at(http.MethodPatch, "/memory/meaning", account.Manage, h.setMeaning),
		at(http.MethodPatch, "/memory/:id", account.Manage, h.changeMemory),
		at(http.MethodDelete, "/memory/:id", account.Manage, h.dropMemory),
	}
}

// memory answers GET memory: a page of notes, or those that fit q.
func (h *handler) memory(c echo.Context) error {
	ask, err := asked(c)
	if err != nil {
		return err
	}
	got, err := h.Memory.List(c.Request().Context(), customerOf(c), wire.MemoryParams{
		Query: c.QueryParam("q"), Agent: c.QueryParam("agent"), Origin: wire.MemoryOrigin(c.QueryParam("origin")),
		Held: c.QueryParam("held") == "true", After: c.QueryParam("after"), Limit: ask.Limit,
	})
	if err != nil {
		return err
	}
	out := struct {
		Items   []memoryNote `json:"items"`
		Next    *string      `json:"next"`
		Held    int          `json:"held"`
		LeftOut []string     `json:"left_out"`
		Meaning *meaning     `json:"meaning"`
	}{Items: []memoryNote{}, Held: got.Held, LeftOut: append([]string{}, got.LeftOut...), Meaning: meaningOf(got.Meaning)}
	for _, n := range got.Items {
		out.Items = append(out.Items, memoryNoteOf(n))
	}
	if got.Next != "" {
		out.Next = &got.Next
	}
	return c.JSON(http.StatusOK, out)
}

// memoryRequest is an act with what signs it.
type memoryRequest struct {
	Act       wire.MemoryAct  `json:"act"`
	Signature *wire.Signature `json:"signature"`
}

// stateMemory answers POST memory: a note that the owner states. The server checks the signature.
func (h *handler) stateMemory(c echo.Context) error {
	var in memoryRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	in.Act.Do, in.Act.Note = wire.MemoryDoState, ""
	return h.act(c, in, http.StatusCreated)
}

// changeMemory answers PATCH memory/{id}.
func (h *handler) changeMemory(c echo.Context) error {
	var in memoryRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	in.Act.Note = c.Param("id")
	return h.act(c, in, http.StatusOK)
}

func (h *handler) act(c echo.Context, in memoryRequest, status int) error {
	n, err := h.Memory.Change(c.Request().Context(), customerOf(c), wire.MemoryChange{Act: in.Act, Signature: in.Signature, By: decider(c)})
	if err != nil {
		return err
	}
	return c.JSON(status, memoryNoteOf(n))
}

// dropMemory answers DELETE memory/{id}: what the owner did not state goes without a signature.
func (h *handler) dropMemory(c echo.Context) error {
	a := wire.MemoryAct{ID: uuid.Must(uuid.NewV7()).String(), Do: wire.MemoryDoDelete, Note: c.Param("id")}
	_, err := h.Memory.Change(c.Request().Context(), customerOf(c), wire.MemoryChange{Act: a, By: decider(c)})
	if err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
