package api

import (
	"cmp"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/fault"
	"gatehouse/app/web/jsonbody"
)

// strange is somebody who wrote to a channel that is open to everybody.
type strange struct {
	ID        string             `json:"id"`
	Address   string             `json:"address"`
	Name      *string            `json:"name"`
	State     wire.StrangerState `json:"state"`
	Told      bool               `json:"told"`
	Messages  int                `json:"messages"`
	SessionID *string            `json:"session_id"`
	FirstAt   time.Time          `json:"first_at"`
	LastAt    time.Time          `json:"last_at"`
}

func strangeOf(s wire.ChannelStranger) strange {
	return strange{
		ID: s.ID, Address: s.Address, Name: some(s.Name), State: s.State, Told: s.Told, Messages: s.Messages, SessionID: some(s.Session),
		FirstAt: s.First, LastAt: s.Last,
	}
}

// strangers answers GET channels/{name}/strangers.
func (h *handler) strangers(c echo.Context) error {
	asked, err := limited(c)
	if err != nil {
		return err
	}
	got, err := h.Channels.Strangers(c.Request().Context(), customerOf(c), wire.ChannelStrangersParams{
		Channel: c.Param("name"), State: wire.StrangerState(c.QueryParam("state")), Limit: asked.Limit, After: asked.After,
	})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, wireList(got.Items, got.Next, strangeOf))
}

var errStrangerDo = fault.New(fault.Invalid, "stranger-do", "no such act",
	"This is nothing that can be done with somebody who wrote. Nothing was changed.")

// withStranger answers POST channels/{name}/strangers/{id}: takes a conversation over, hands it back, writes, blocks or deletes.
func (h *handler) withStranger(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	var in channelRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	switch in.Act.Do {
	case wire.ChannelDoTake, wire.ChannelDoBack, wire.ChannelDoWrite, wire.ChannelDoErase, wire.ChannelDoBlock:
	default:
		return errStrangerDo
	}
	in.Act.ID = cmp.Or(in.Act.ID, uuid.Must(uuid.NewV7()).String())
	in.Act.Channel, in.Act.Person = c.Param("name"), id
	return h.channelAct(c, in, http.StatusOK)
}
