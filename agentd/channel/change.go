package channel

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"gatehouse/agentd/vault/secret"
	"gatehouse/agentd/wire"
)

// Refusals that people read.
var (
	errAct      = badRequest("This is nothing that can be done with a channel. Nothing was changed.")
	errUnsigned = &wire.RPCError{
		Code: "signature_required", Text: "This needs the signature of a device that may approve. Nothing was changed.",
	}
	errChanged   = conflict("The channel was changed meanwhile. Nothing was saved; look at it again.")
	errPolicy    = badRequest("Choose who may write. To let everybody write, type * as well. Nothing was saved.")
	errApprovals = badRequest("Choose which requests for approval come by this channel. Nothing was saved.")
	errPassword  = badRequest("The password of the mailbox is missing. Type it again when the server or the user name changes. " +
		"Nothing was saved.")
	errToken   = badRequest("The token is missing. Paste it again when the account changes. Nothing was saved.")
	errGroups  = badRequest("Choose what the channel reads in groups. Nothing was saved.")
	errAddress = badRequest("This is not one plain e-mail address. Nothing was saved.")
	errNumber  = badRequest("This is not an account of the messenger as its channel names it. Nothing was saved.")
	errBlocked = conflict("This person is blocked. To take them off the list, let them write first, which you sign. Nothing was changed.")
	errExpired = conflict("This code is over, or belongs to another address. Nothing was changed. Ask the person to write again.")
	errPeople  = conflict(fmt.Sprintf("There are %d people on this channel, which is the most. Nothing was saved.", wire.MaxChannelPeople))
)

// change carries out an act of a person.
func (c *Channels) change(ctx context.Context, ch wire.ChannelChange) (wire.Channel, error) {
	a := ch.Act
	if uuid.Validate(a.ID) != nil || c.d.Kinds[a.Channel].Make == nil {
		return wire.Channel{}, errAct
	}
	r, err := c.byName(ctx, a.Channel)
	if err == nil && r.LastAct == a.ID { // a repeat, which may finish what broke off
		return c.follow(context.WithoutCancel(ctx), ch)
	}
	if err != nil && (!errors.Is(err, errNone) || a.Do != wire.ChannelDoPut) {
		return wire.Channel{}, err
	}
	if a.Do.Signed() && ch.Signature == nil {
		return wire.Channel{}, errUnsigned
	}
	password, err := c.password(ctx, r, ch)
	if err != nil {
		return wire.Channel{}, err
	}
	act := func(tx *sql.Tx) error { return c.act(context.WithoutCancel(ctx), txn{tx, c.d.DB}, ch) }
	if password.Empty() {
		err = c.d.DB.Write(ctx, act)
	} else {
		err = c.d.Keys.Keep(ctx, wire.ChannelSecretName(a.Channel), password, ch.By, act)
	}
	if err != nil {
		return wire.Channel{}, err
	}
	return c.follow(context.WithoutCancel(ctx), ch)
}

// follow has everything follow an act that is on disk. The channel begins again whatever else goes wrong: it must not run on with what
// was set before.
func (c *Channels) follow(ctx context.Context, ch wire.ChannelChange) (wire.Channel, error) {
	name := ch.Act.Channel
	err := c.loadOwners(ctx)
	c.restart(name)
	if err == nil && ch.Act.Do == wire.ChannelDoRemove {
		err = c.d.Keys.Drop(ctx, wire.ChannelSecretName(name), ch.By)
	}
	if err != nil {
		return wire.Channel{}, err
	}
	r, err := c.byName(ctx, name)
	if err != nil {
		return wire.Channel{}, err
	}
	return c.view(ctx, r)
}

// password gives the password that came with the settings. Without one the former stays, while it goes to the same servers under the
// same name.
func (c *Channels) password(ctx context.Context, r row, ch wire.ChannelChange) (secret.Value, error) {
	a := ch.Act
	if a.Do != wire.ChannelDoPut || c.d.Kinds[a.Channel].NoSecret {
		return secret.Value{}, nil
	}
	same := r.Name != "" && r.State != wire.ChannelRemoved && r.Chat.Account == a.Chat.Account && sameMailbox(r.Mail, a.Mail)
	name := wire.ChannelSecretName(a.Channel)
	if ch.Nonce == "" {
		if !same {
			return secret.Value{}, errMissing(a.Channel)
		}
		return secret.Value{}, nil
	}
	v, err := c.d.Keys.Unseal(ctx, name, ch.Nonce, ch.Box)
	if err != nil || v.Empty() {
		return v, cmp.Or(err, errMissing(a.Channel))
	}
	kind := c.d.Kinds[a.Channel]
	if len(kind.Secrets) == 0 {
		return v, nil
	}
	var former secret.Value
	if same {
		if former, err = c.d.Keys.Key(ctx, name); err != nil {
			return secret.Value{}, err
		}
	}
	return joined(kind, former, v)
}

// sameMailbox says whether a password goes to the same servers under the same name.
func sameMailbox(a, b wire.MailSettings) bool {
	return a.IMAP == b.IMAP && a.SMTP == b.SMTP && a.User == b.User
}

func errMissing(channel string) error {
	if channel == wire.ChannelEmail {
		return errPassword
	}
	return errToken
}

// act carries out an act inside a transaction.
func (c *Channels) act(ctx context.Context, t txn, ch wire.ChannelChange) error {
	a := ch.Act
	r, err := find(t, a.Channel)
	switch {
	case err == nil && r.LastAct == a.ID:
		return nil // a repeat
	case errors.Is(err, errNone) && a.Do == wire.ChannelDoPut:
	case err != nil:
		return err
	case r.State == wire.ChannelRemoved && a.Do != wire.ChannelDoPut:
		return errNone
	}
	version := r.Version
	if r.State == wire.ChannelRemoved && a.Do == wire.ChannelDoPut {
		version = 0 // pages show no removed channel, so it is set up as if it had never been there
	}
	if a.Do.Signed() && a.Version != version {
		return errChanged
	}
	key := ""
	if ch.Signature != nil {
		if key, err = c.d.Signed.Change(ctx, t.tx, wire.ChangeChannel, a, ch.Signature); err != nil {
			return err
		}
	}
	who, err := c.apply(t, &r, ch)
	if err != nil {
		return err
	}
	r.LastAct, r.Updated = a.ID, c.now()
	r.Version++
	if err := save(t, r); err != nil {
		return err
	}
	return c.receipt(t, "channel.changed", "", map[string]any{
		"channel": r.Name, "do": a.Do, "agent": r.Agent, "policy": r.Policy, "state": r.State, "level": r.Level, "mail": r.Mail,
		"strangers": r.Strangers, "person": a.Person,
		"address": who.Address, "owner": who.Owner, "by": ch.By, "key_id": key,
	})
}

// apply changes the row, or who is on the channel.
func (c *Channels) apply(t txn, r *row, ch wire.ChannelChange) (who person, err error) {
	switch a := ch.Act; a.Do {
	case wire.ChannelDoPut:
		return who, c.set(r, ch)
	case wire.ChannelDoResume:
		r.State = wire.ChannelActive
	case wire.ChannelDoPause:
		r.State = wire.ChannelPaused
	case wire.ChannelDoRemove:
		r.State, r.Cursor, r.Hook = wire.ChannelRemoved, "", ""
		return who, errors.Join(c.takeBack(t, "The channel was removed.", "channel = ?", r.Name),
			t.exec("DELETE FROM channel_people WHERE channel = ? AND state <> 'blocked'", r.Name))
	case wire.ChannelDoConfirm, wire.ChannelDoAllow:
		return c.admit(t, *r, a)
	case wire.ChannelDoBlock, wire.ChannelDoUnlink:
		return c.turnAway(t, *r, a)
	case wire.ChannelDoTake, wire.ChannelDoBack, wire.ChannelDoWrite, wire.ChannelDoErase:
		return c.withStranger(t, *r, ch)
	default:
		return who, errAct
	}
	return who, nil
}

// set checks and sets what a person may choose. The level is that of the agent as the person signs.
func (c *Channels) set(r *row, ch wire.ChannelChange) error {
	a := ch.Act
	switch {
	case !c.d.HasAgent(a.Agent):
		return badRequest(fmt.Sprintf("This server has no agent %q. Nothing was saved.", a.Agent))
	case a.Policy == wire.ChannelOpen && a.Anyone != wire.ChannelAnyone, a.Policy != wire.ChannelOpen && a.Anyone != "":
		return errPolicy
	case a.Policy != wire.ChannelOpen && a.Policy != wire.ChannelPairing && a.Policy != wire.ChannelAllowlist &&
		a.Policy != wire.ChannelDisabled:
		return errPolicy
	case a.Approvals != wire.ApprovalsOff && a.Approvals != wire.ApprovalsOwn && a.Approvals != wire.ApprovalsAll:
		return errApprovals
	case a.Policy != wire.ChannelOpen && a.Strangers.Replies, a.Strangers.Language != "" && a.Strangers.Language != wire.StrangerLanguage:
		return errPolicy
	case a.Chat.Groups != wire.ChatGroupsOff && a.Chat.Groups != wire.ChatGroupsNamed:
		return errGroups
	}
	if _, err := c.d.Kinds[a.Channel].Make(Settings{Mail: a.Mail, Chat: a.Chat}, Env{}); err != nil {
		return err
	}
	if r.Name == "" || r.State == wire.ChannelRemoved {
		r.Name, r.State, r.By = a.Channel, wire.ChannelActive, ch.By
	}
	if r.Created.IsZero() {
		r.Created = c.now()
	}
	if r.Mail.IMAP != a.Mail.IMAP || r.Mail.User != a.Mail.User {
		r.Cursor = "" // another mailbox counts differently
	}
	switch hooked := a.Chat.Way == wire.ChatHook; {
	case !hooked:
		r.Hook = ""
	case r.Hook == "":
		r.Hook = newHook()
	}
	cfg := c.d.Config()
	r.Chat, r.Approvals, r.Strangers = a.Chat, a.Approvals, a.Strangers
	r.Agent, r.Policy, r.Mail, r.Level = a.Agent, a.Policy, a.Mail, cmp.Or(cfg.Agents[a.Agent].Level, cfg.DefaultLevel)
	return nil
}

// admit pairs a person who waits, or one whose address the owner knows.
func (c *Channels) admit(t txn, r row, a wire.ChannelAct) (person, error) {
	address, err := c.address(r.Name, a.Address)
	switch {
	case (err != nil || address != a.Address) && r.Name == wire.ChannelEmail:
		return person{}, errAddress
	case err != nil, address != a.Address, strings.HasPrefix(address, "-"), strings.HasPrefix(address, "#"): // a group is nobody
		return person{}, errNumber
	}
	p, err := personAt(t, r.Name, address)
	switch {
	case err != nil:
		return p, err
	case a.Do == wire.ChannelDoConfirm && (p.ID != a.Person || p.State != wire.PersonWaiting || !c.now().Before(p.Until)):
		return p, errExpired
	}
	n, err := t.count("SELECT count(*) FROM channel_people WHERE channel = ?", r.Name)
	if err != nil || n >= wire.MaxChannelPeople {
		return p, cmp.Or(err, errPeople)
	}
	p.ID, p.Channel, p.Address = cmp.Or(p.ID, uuid.Must(uuid.NewV7()).String()), r.Name, address
	p.State, p.Owner, p.Code, p.Until, p.Since = wire.PersonPaired, a.Owner, "", c.now(), c.now()
	return p, savePerson(t, p)
}

// turnAway blocks a person, or forgets them.
func (c *Channels) turnAway(t txn, r row, a wire.ChannelAct) (person, error) {
	p, err := personByID(t, r.Name, a.Person)
	if errors.Is(err, errNobody) && a.Do == wire.ChannelDoBlock {
		return c.blockStranger(t, r, a)
	}
	if err != nil {
		return p, err
	}
	if a.Do == wire.ChannelDoUnlink && p.State == wire.PersonBlocked { // a channel that is open would let them write again
		return p, errBlocked
	}
	if a.Do == wire.ChannelDoUnlink {
		return p, t.exec("DELETE FROM channel_people WHERE id = ?", p.ID)
	}
	p.State, p.Owner, p.Code, p.Since = wire.PersonBlocked, false, "", c.now()
	return p, savePerson(t, p)
}
