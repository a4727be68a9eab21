package api

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/audit"
	"gatehouse/app/page"
	"gatehouse/app/server"
	"gatehouse/app/web/jsonbody"
	"gatehouse/app/web/session"
)

// adminCommand is a command to a server as staff see it.
type adminCommand struct {
	ID         string               `json:"id"`
	Verb       wire.CommandVerb     `json:"verb"`
	Container  string               `json:"container,omitempty"`
	By         string               `json:"by"`
	State      server.CommandState  `json:"state"`
	Text       string               `json:"text,omitempty"`
	Containers []wire.ContainerInfo `json:"containers,omitempty"`
	At         time.Time            `json:"at"`
	Until      time.Time            `json:"until"`
	EndedAt    time.Time            `json:"ended_at,omitzero"`
}

func commandOf(c server.Command) adminCommand {
	return adminCommand{
		ID: c.ID, Verb: c.Verb, Container: c.Container, By: c.By, State: c.State, Text: c.Said, Containers: c.Containers, At: c.At,
		Until: c.Until, EndedAt: c.EndedAt,
	}
}

// adminCommands answers GET admin/servers/{id}/commands.
func (h *handler) adminCommands(c echo.Context) error {
	id, err := serverID(c)
	if err != nil {
		return err
	}
	all, err := h.Commands.Of(c.Request().Context(), id)
	return answer(c, page.Of[server.Command]{Items: all}, err, commandOf)
}

// adminCommand answers POST admin/servers/{id}/command.
func (h *handler) adminCommand(c echo.Context) error {
	id, err := serverID(c)
	if err != nil {
		return err
	}
	var in struct {
		Verb      wire.CommandVerb `json:"verb"`
		Container string           `json:"container"`
	}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	who := session.Of(c)
	by := audit.Actor{Kind: audit.Staff, ID: who.StaffID, Name: who.Email, Role: who.Role, Address: c.RealIP()}
	cmd, err := h.Commands.Send(c.Request().Context(), id, in.Verb, in.Container, by)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusAccepted, commandOf(cmd))
}
