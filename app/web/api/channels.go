package api

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/jsonbody"
	"gatehouse/app/web/session"
)

// Channels is what the API needs of messaging channels; channel.Service has it.
type Channels interface {
	List(ctx context.Context, of account.CustomerID) (wire.ChannelsResult, error)
	Change(ctx context.Context, of account.CustomerID, c wire.ChannelChange) (wire.Channel, error)
	Test(ctx context.Context, of account.CustomerID, t wire.ChannelTest) (wire.ChannelTested, error)
	Strangers(ctx context.Context, of account.CustomerID, p wire.ChannelStrangersParams) (wire.ChannelStrangersResult, error)
}

// channeled is a channel.
type channeled struct {
	Name      string             `json:"name"`
	State     wire.ChannelState  `json:"state"`
	Agent     string             `json:"agent"`
	Policy    wire.ChannelPolicy `json:"policy"`
	Mail      wire.MailSettings  `json:"mail"`
	Chat      wire.ChatSettings  `json:"chat"`
	Account   *string            `json:"account"`
	Hook      *string            `json:"hook"`      // the whole address to which the messenger brings messages
	Approvals string             `json:"approvals"` // off, own or all
	Connected bool               `json:"connected"`
	LastError *string            `json:"last_error"`
	RetryAt   *time.Time         `json:"retry_at"`
	Counts    wire.ChannelCounts `json:"counts"`
	Version   int64              `json:"version"`
	CreatedAt time.Time          `json:"created_at"`
	UpdatedAt time.Time          `json:"updated_at"`

	Strangers strangerSettings `json:"strangers"`
}

// strangerSettings are how a channel that is open to everybody deals with strangers, and how many there are.
type strangerSettings struct {
	Replies  bool   `json:"replies"`
	Language string `json:"language"` // en or de
	Talking  int    `json:"talking"`
	Person   int    `json:"person"`
	Out      int    `json:"out"`
	Erased   int    `json:"erased"`
}

func channeledOf(k wire.Channel) channeled {
	return channeled{
		Name: k.Name, State: k.State, Agent: k.Agent, Policy: k.Policy, Mail: k.Mail, Chat: k.Chat, Account: some(k.Live.Account),
		Connected: k.Live.Connected,
		Approvals: cmp.Or(string(k.Approvals), "off"), RetryAt: unlessZero(k.Live.RetryAt),
		LastError: some(k.Live.LastError), Counts: k.Counts, Version: k.Version, CreatedAt: k.Created, UpdatedAt: k.Updated,
		Strangers: strangerSettings{
			Replies: k.Strangers.Replies, Language: cmp.Or(k.Strangers.Language, "en"), Talking: k.Wrote.Talking, Person: k.Wrote.Person,
			Out: k.Wrote.Out, Erased: k.Wrote.Erased,
		},
	}
}

// seen makes a channel as whoever asks may see it: the address to which its messages are brought is for those who set channels up.
func seen(who session.Who, origin string) func(wire.Channel) channeled {
	may := who.Rights().May(account.Manage)
	return func(k wire.Channel) channeled {
		out := channeledOf(k)
		if may && k.Hook != "" {
			out.Hook = some(origin + wire.HooksPath + k.Hook)
		}
		return out
	}
}

// seenBy is seen for who sends a request.
func seenBy(c echo.Context) func(wire.Channel) channeled {
	return seen(session.Of(c), c.Scheme()+"://"+c.Request().Host)
}

// paired is a person on a channel.
type paired struct {
	ID      string           `json:"id"`
	Address string           `json:"address"`
	Name    *string          `json:"name"`
	State   wire.PersonState `json:"state"`
	Owner   bool             `json:"owner"`
	Code    *string          `json:"code"`
	Since   time.Time        `json:"since"`
}

func pairedOf(p wire.ChannelPerson) paired {
	return paired{ID: p.ID, Address: p.Address, Name: some(p.Name), State: p.State, Owner: p.Owner, Code: some(p.Code), Since: p.Since}
}

// channelRoutes are those of channels.
func (h *handler) channelRoutes(at func(method, path string, right account.Right, do echo.HandlerFunc) web.Route) []web.Route {
	return []web.Route{
		at(http.MethodGet, "/channels", account.Look, h.channels),
		at(http.MethodPut, "/channels/:name", account.Manage, h.putChannel),
		at(http.MethodPost, "/channels/:name/test", account.Manage, h.testChannel),
		at(http.MethodGet, "/channels/:name/strangers", account.Look, h.strangers),
		at(http.MethodPost, "/channels/:name/strangers/:id", account.Manage, h.withStranger),
		at(http.MethodGet, "/channels/:name/pairings", account.Look, h.pairings),
		at(http.MethodPost, "/channels/:name/pairings", account.Manage, h.pair),
		at(http.MethodDelete, "/channels/:name/pairings/:id", account.Manage, h.unpair),
	}
}

// channels answers GET channels.
func (h *handler) channels(c echo.Context) error {
	got, err := h.Channels.List(c.Request().Context(), customerOf(c))
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, wireList(got.Items, "", seenBy(c)))
}

// channelRequest is an act with what signs it, and the password sealed for the server.
type channelRequest struct {
	Act       wire.ChannelAct `json:"act"`
	Signature *wire.Signature `json:"signature"`
	Nonce     string          `json:"nonce"`
	Box       wire.SecretBox  `json:"box"`
}

// putChannel answers PUT channels/{name}.
func (h *handler) putChannel(c echo.Context) error {
	var in channelRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	in.Act.Do, in.Act.Channel = wire.ChannelDoPut, c.Param("name")
	return h.channelAct(c, in, http.StatusOK)
}

func (h *handler) channelAct(c echo.Context, in channelRequest, status int) error {
	k, err := h.Channels.Change(c.Request().Context(), customerOf(c), wire.ChannelChange{
		Act: in.Act, Signature: in.Signature, Nonce: in.Nonce, Box: in.Box, By: decider(c),
	})
	if err != nil {
		return err
	}
	return c.JSON(status, seenBy(c)(k))
}

// testChannel answers POST channels/{name}/test.
func (h *handler) testChannel(c echo.Context) error {
	var in struct {
		To string `json:"to"`
	}
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	got, err := h.Channels.Test(c.Request().Context(), customerOf(c), wire.ChannelTest{Channel: c.Param("name"), To: in.To, By: decider(c)})
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, got)
}

var errNoChannel = fault.New(fault.NotFound, "no-channel", "no such channel", "This channel is not set up on your server.")

// pairings answers GET channels/{name}/pairings.
func (h *handler) pairings(c echo.Context) error {
	got, err := h.Channels.List(c.Request().Context(), customerOf(c))
	if err != nil {
		return err
	}
	for _, k := range got.Items {
		if k.Name == c.Param("name") {
			return c.JSON(http.StatusOK, wireList(k.People, "", pairedOf))
		}
	}
	return errNoChannel
}

// pair answers POST channels/{name}/pairings: confirms one who waits, or lets an address write.
func (h *handler) pair(c echo.Context) error {
	var in channelRequest
	if err := jsonbody.Decode(c, &in); err != nil {
		return err
	}
	if in.Act.Do != wire.ChannelDoConfirm {
		in.Act.Do = wire.ChannelDoAllow
	}
	in.Act.Channel = c.Param("name")
	return h.channelAct(c, in, http.StatusCreated)
}

// unpair answers DELETE channels/{name}/pairings/{id}, which takes no signature. Somebody who is blocked is not forgotten.
func (h *handler) unpair(c echo.Context) error {
	id, err := idParam(c, "id")
	if err != nil {
		return err
	}
	a := wire.ChannelAct{ID: uuid.Must(uuid.NewV7()).String(), Do: wire.ChannelDoUnlink, Channel: c.Param("name"), Person: id}
	if c.QueryParam("block") == "true" {
		a.Do = wire.ChannelDoBlock
	}
	if _, err := h.Channels.Change(c.Request().Context(), customerOf(c), wire.ChannelChange{Act: a, By: decider(c)}); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
