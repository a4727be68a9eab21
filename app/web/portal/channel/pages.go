package channel

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"gatehouse/agentd/wire"
	"gatehouse/app/account"
	"gatehouse/app/fault"
	"gatehouse/app/web"
	"gatehouse/app/web/inbox"
	"gatehouse/app/web/portal/frame"
	"gatehouse/app/web/portal/roster"
	"gatehouse/app/web/portal/signing"
	"gatehouse/views/i18n"
	"gatehouse/views/portal"
	"gatehouse/views/ui"

	views "gatehouse/views/portal/channel"
)

// Channels is what people do with channels; channel.Service does it.
type Channels interface {
	List(ctx context.Context, of account.CustomerID) (wire.ChannelsResult, error)
	Change(ctx context.Context, of account.CustomerID, c wire.ChannelChange) (wire.Channel, error)
	Test(ctx context.Context, of account.CustomerID, t wire.ChannelTest) (wire.ChannelTested, error)
	Strangers(ctx context.Context, of account.CustomerID, p wire.ChannelStrangersParams) (wire.ChannelStrangersResult, error)
}

// Team says which agents there are; chat.Service does.
type Team interface {
	Agents(ctx context.Context, of account.CustomerID) (wire.AgentsResult, error)
}

// Deps are the parts that the pages work with.
type Deps struct {
	Channels Channels
	Chat     Team
	Team     signing.Settings
	Frames   *frame.Frames
	Agents   *roster.Roster
}

// Pages answers the pages of channels.
type Pages struct{ Deps }

// New makes the section.
func New(d Deps) *Pages { return &Pages{d} }

// Routes are the pages of the section and where their forms go.
func (p *Pages) Routes() []web.Route {
	all := []web.Route{
		frame.Get(portal.Channels, account.Look, p.list),
		frame.Get(views.StrangersPath, account.Look, p.strangers),
		frame.Get(views.FormPath, account.Manage, p.blank(wire.ChannelEmail)),
		frame.Post(views.ChangePath, account.Manage, p.change),
		frame.Post(views.TestPath, account.Manage, p.test),
	}
	for _, m := range views.Messengers {
		all = append(all, frame.Get(views.PathOf(m.Name), account.Manage, p.blank(m.Name)))
	}
	return all
}

// errOld says that a server knows no channels.
var errOld = fault.New(fault.Conflict, "server-old", "server knows no channels",
	"The agentd on this server is too old for channels. Nothing was changed. Update it first.")

// all are the channels that are set up.
func (p *Pages) all(ctx context.Context, c echo.Context) ([]wire.Channel, error) {
	got, err := p.Channels.List(ctx, frame.Customer(c))
	if err != nil && fault.Of(err).Kind == fault.Invalid { // a server of an older version does not know the question
		return nil, errOld
	}
	return got.Items, err
}

// found is the channel of this name; nil: it is not set up.
func (p *Pages) found(ctx context.Context, c echo.Context, name string) (*wire.Channel, error) {
	all, err := p.all(ctx, c)
	for _, ch := range all {
		if ch.Name == name {
			return &ch, nil
		}
	}
	return nil, err
}

// list answers GET /app/channels.
func (p *Pages) list(c echo.Context) error { return p.show(c, "", nil) }

// show shows the channels, and of one of them what a test has found.
func (p *Pages) show(c echo.Context, of string, tested *views.Tested) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	title := i18n.T(web.Context(c), "channel.title")
	all, err := p.all(ctx, c)
	if frame.IsAway(err) {
		return p.Frames.Away(c, title)
	}
	if err != nil {
		return err
	}
	props := views.List{}
	if props.Signs.Server, props.Signs.Config, err = signing.BoundTo(c, p.Frames, p.Team); err != nil {
		return err
	}
	for _, ch := range all {
		shown := p.shown(c, ch)
		if ch.Name == of {
			shown.Tested = tested
		}
		props.Channels = append(props.Channels, shown)
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: title})
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.ListPage(outer, props))
}

// shown is a channel on the page, with what can be done with it as it was read.
func (p *Pages) shown(c echo.Context, ch wire.Channel) views.Channel {
	out := views.Channel{
		Name: ch.Name, Address: accountOf(ch), AgentID: ch.Agent, Agent: p.Agents.Agent(web.Context(c), frame.Customer(c), ch.Agent).Name,
		Policy: string(ch.Policy), State: string(ch.State), Connected: ch.Live.Connected, Since: ch.Live.Since,
		LastError: ch.Live.LastError, ErrorAt: ch.Live.ErrorAt, Hard: ch.Live.Hard, RetryAt: ch.Live.RetryAt,
		Approvals: string(ch.Approvals),
		Received:  ch.Counts.Received, Refused: ch.Counts.Refused,
		Sent: ch.Counts.Sent, Failed: ch.Counts.Failed, Unknown: ch.Counts.Unknown, Queued: ch.Counts.Waiting,
	}
	of := func(do wire.ChannelDo, person wire.ChannelPerson) string {
		return act(wire.ChannelAct{
			Do: do, Channel: ch.Name, Person: person.ID, Address: person.Address, Version: ch.Version,
		})
	}
	out.Guests = guestsOf(ch)
	nobody := wire.ChannelPerson{}
	out.Next, out.Remove, out.Allow = of(wire.ChannelDoPause, nobody), of(wire.ChannelDoRemove, nobody),
		of(wire.ChannelDoAllow, nobody)
	if ch.State == wire.ChannelPaused {
		out.Next = of(wire.ChannelDoResume, nobody)
	}
	for _, who := range ch.People {
		out.People = append(out.People, views.Person{
			Address: who.Address, Name: who.Name, State: string(who.State), Code: who.Code, Owner: who.Owner,
			Until: who.Until, Since: who.Since,
			Confirm: of(wire.ChannelDoConfirm, who), Block: of(wire.ChannelDoBlock, who), Unlink: of(wire.ChannelDoUnlink, who),
		})
	}
	return out
}

// accountOf names what the team is reached under.
func accountOf(ch wire.Channel) string {
	switch {
	case ch.Name == wire.ChannelEmail:
		return ch.Mail.Address
	case ch.Live.Account != "":
		return ch.Live.Account + " (" + ch.Chat.Account + ")"
	}
	return ch.Chat.Account
}

// act is an act as its form names and signs it: each form a new one.
func act(a wire.ChannelAct) string {
	a.ID = uuid.Must(uuid.NewV7()).String()
	raw, err := json.Marshal(a)
	if err != nil {
		panic("act of plain texts: " + err.Error())
	}
	return string(raw)
}

// blank answers GET /app/channels/{name}: the form, with what is set.
func (p *Pages) blank(name string) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx, cancel := frame.Asking(c.Request().Context())
		defer cancel()
		ch, err := p.found(ctx, c, name)
		if frame.IsAway(err) {
			return p.Frames.Away(c, views.TitleOf(web.Context(c), name))
		}
		if err != nil {
			return err
		}
		a := wire.ChannelAct{Do: wire.ChannelDoPut, Channel: name, Policy: wire.ChannelPairing, Approvals: wire.ApprovalsOwn}
		if i18n.LocaleOf(web.Context(c)) == wire.StrangerLanguage {
			a.Strangers.Language = wire.StrangerLanguage
		}
		if name == wire.ChannelEmail {
			a.Mail.IMAP = wire.MailServer{Port: 993, TLS: wire.MailImplicit}
			a.Mail.SMTP = wire.MailServer{Port: 465, TLS: wire.MailImplicit}
		}
		if ch != nil {
			a.Agent, a.Policy, a.Mail, a.Chat, a.Approvals, a.Version = ch.Agent, ch.Policy, ch.Mail, ch.Chat, ch.Approvals, ch.Version
			a.Strangers = ch.Strangers
		}
		return p.form(c, http.StatusOK, a, "")
	}
}

// form shows the form with what was typed.
func (p *Pages) form(c echo.Context, status int, a wire.ChannelAct, problem string) error {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	title := views.TitleOf(web.Context(c), a.Channel)
	team, err := p.Chat.Agents(ctx, frame.Customer(c))
	if frame.IsAway(err) {
		return p.Frames.Away(c, title)
	}
	if err != nil {
		return err
	}
	p.Agents.Learn(frame.Customer(c), team)
	chosen := views.Choices{
		AgentID: a.Agent, Policy: string(a.Policy), Anyone: a.Anyone, Approvals: string(a.Approvals),
		Hint: "channel.approvals_hint", Language: a.Strangers.Language,
	}
	if a.Strangers.Replies {
		chosen.Replies = "direct"
	}
	for _, agent := range team.Items {
		chosen.Team = append(chosen.Team, ui.Option{Value: agent.ID, Label: agent.Name})
	}
	var signs views.Signs
	if signs.Server, signs.Config, err = signing.BoundTo(c, p.Frames, p.Team); err != nil {
		return err
	}
	outer, err := p.Frames.Of(c, frame.Page{Title: title})
	if err != nil {
		return err
	}
	outer.Failed = problem != ""
	if m, is := views.MessengerOf(a.Channel); is {
		chosen.Hint = "channel.approvals_chat_hint"
		return web.Render(c, status, views.ChatPage(outer, views.Chat{
			Choices: chosen, Messenger: m, Groups: string(a.Chat.Groups), Typed: typed(a.Chat), New: a.Version == 0, Act: act(a),
			Signs: signs, Problem: problem,
		}))
	}
	f := formOf(web.Context(c), a)
	f.Choices, f.Signs, f.Problem = chosen, signs, problem
	return web.Render(c, status, views.FormPage(outer, f))
}

// typed are the settings of a messenger by the names of their fields.
func typed(s wire.ChatSettings) map[string]string {
	raw, err := json.Marshal(s)
	all := map[string]string{}
	if err != nil || json.Unmarshal(raw, &all) != nil {
		panic("settings of plain texts")
	}
	return all
}

func formOf(ctx context.Context, a wire.ChannelAct) views.Form {
	known, err := json.Marshal(wire.MailProviders)
	if err != nil {
		panic("providers of plain texts: " + err.Error())
	}
	at := func(s wire.MailServer) views.Server {
		return views.Server{Host: s.Host, Port: strconv.Itoa(s.Port), TLS: string(s.TLS)}
	}
	f := views.Form{
		Provider: a.Mail.Provider, Address: a.Mail.Address, User: a.Mail.User, AuthServ: a.Mail.AuthServ,
		IMAP: at(a.Mail.IMAP), SMTP: at(a.Mail.SMTP), New: a.Version == 0, Known: string(known),
		Providers: []ui.Option{{Value: "", Label: i18n.T(ctx, "channel.other_provider")}},
	}
	for _, one := range wire.MailProviders {
		f.Providers = append(f.Providers, ui.Option{Value: one.ID, Label: one.Name})
	}
	f.Act = act(a)
	return f
}

// errAct refuses a form whose act no page of ours has made.
var errAct = fault.New(fault.Malformed, "act-unreadable", "act cannot be read",
	"This form could not be read. Nothing was changed; load the page again and repeat it.")

// change answers POST /app/channels/change: carries out what the script has signed, and says what is now true.
func (p *Pages) change(c echo.Context) error {
	var a wire.ChannelAct
	if json.Unmarshal([]byte(c.FormValue("act")), &a) != nil {
		return errAct
	}
	sig, err := inbox.SignatureOf(c)
	if err != nil {
		return err
	}
	_, err = p.Channels.Change(c.Request().Context(), frame.Customer(c), wire.ChannelChange{
		Act: a, Signature: sig, Nonce: c.FormValue("nonce"), Box: wire.SecretBox(c.FormValue("box")), By: inbox.Decider(c),
	})
	if k := fault.Of(err).Kind; err != nil && a.Do == wire.ChannelDoPut && (k == fault.Invalid || k == fault.Conflict) {
		if k == fault.Conflict {
			a.Version = p.version(c, a)
		}
		return p.form(c, http.StatusUnprocessableEntity, a, web.Told(c, err).Public)
	}
	if err != nil {
		return err
	}
	frame.Said(c, said(a))
	return web.SeeOther(c, backTo(c))
}

// version is what the channel stands at now, so that a form that came too late counts when it is signed again.
func (p *Pages) version(c echo.Context, a wire.ChannelAct) int64 {
	ctx, cancel := frame.Asking(c.Request().Context())
	defer cancel()
	switch ch, err := p.found(ctx, c, a.Channel); {
	case err != nil:
		return a.Version
	case ch == nil:
		return 0
	default:
		return ch.Version
	}
}

// did are the sentences that say what was done.
var did = map[wire.ChannelDo]i18n.Key{
	wire.ChannelDoPut: "channel.did_put", wire.ChannelDoResume: "channel.did_resume", wire.ChannelDoPause: "channel.did_pause",
	wire.ChannelDoRemove: "channel.did_remove", wire.ChannelDoConfirm: "channel.did_confirm", wire.ChannelDoAllow: "channel.did_allow",
	wire.ChannelDoBlock: "channel.did_block", wire.ChannelDoUnlink: "channel.did_unlink",
	wire.ChannelDoTake: "channel.did_take", wire.ChannelDoBack: "channel.did_back", wire.ChannelDoWrite: "channel.did_write",
	wire.ChannelDoErase: "channel.did_erase",
}

// said is the sentence that says what was done.
func said(a wire.ChannelAct) i18n.Key {
	if _, is := views.MessengerOf(a.Channel); is {
		switch a.Do {
		case wire.ChannelDoPut:
			return "channel.did_put_chat"
		case wire.ChannelDoRemove:
			return "channel.did_remove_chat"
		}
	}
	return did[a.Do]
}

// test answers POST /app/channels/test: signs in to a channel, and sends a message to the person who asks.
func (p *Pages) test(c echo.Context) error {
	by := inbox.Decider(c)
	t := wire.ChannelTest{Channel: c.FormValue("channel"), By: by}
	if c.FormValue("send") != "" {
		var err error
		if t.To, err = p.mine(c, t.Channel); err != nil {
			return err
		}
	}
	got, err := p.Channels.Test(c.Request().Context(), frame.Customer(c), t)
	if err != nil {
		return err
	}
	if t.To != "" && got.Sent == "" {
		got.Sent = "failed" // the server has not even tried: the channel is paused, or sending does not work
	}
	return p.show(c, t.Channel, &views.Tested{Reads: got.Reads, Sends: got.Sends, Sent: got.Sent, Why: got.Why})
}

// mine is where a test message goes: to the mailbox of the person who asks, or to what the owner is known as at a messenger.
func (p *Pages) mine(c echo.Context, name string) (string, error) {
	if name == wire.ChannelEmail {
		return inbox.Decider(c).Name, nil
	}
	ch, err := p.found(c.Request().Context(), c, name)
	if err != nil || ch == nil {
		return "", err
	}
	for _, who := range ch.People {
		if who.Owner && who.State == wire.PersonPaired {
			return who.Address, nil
		}
	}
	return "", nil
}
