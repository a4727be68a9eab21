package channel

import (
	"context"
	"time"

	"gatehouse/agentd/wire"
)

// Why files were left out, in words for whoever reads the message.
const (
	leftTooMuch = "Attached files were left out, because too much came within a day."
	leftUnread  = "Attached files were left out, because nothing more is read from the sender now."
)

// fetchWithin is how long the files of a message may take whose sender waits to hear that it was taken (deliverWithin). What has not come
// by then is left out, so that the message itself is not lost.
var fetchWithin = 6 * time.Second

// fetch gets the files of a message that lie at the provider. What would be thrown away is not asked for: everybody can write, and other
// messages wait meanwhile.
func (c *Channels) fetch(ctx context.Context, name string, room int64, m *Inbound) error {
	if m.Fetch == nil {
		return nil
	}
	var reads bool
	err := c.write(ctx, func(t txn) (err error) { // it writes nothing
		reads, err = c.reads(t, name, *m)
		return err
	})
	switch {
	case err != nil:
		return err
	case !reads:
		m.Left = append(m.Left, leftUnread)
		return nil
	case room <= 0:
		m.Left = append(m.Left, leftTooMuch)
		return nil
	}
	if m.Taken != nil {
		within, cancel := context.WithTimeout(ctx, fetchWithin)
		defer cancel()
		ctx = within
	}
	files, left := m.Fetch(withRoom(ctx, room))
	m.Files, m.Left = append(m.Files, files...), append(m.Left, left...)
	return nil
}

// reads says whether a message of somebody who may write would be taken as things stand. Whether it is, judge decides.
func (c *Channels) reads(t txn, name string, m Inbound) (bool, error) {
	r, err := find(t, name)
	if err != nil {
		return false, err
	}
	p, err := personAt(t, name, m.Address)
	if err != nil {
		return false, err
	}
	known := p.State == wire.PersonPaired
	group := m.Group != "" && (!known || r.Chat.Groups != wire.ChatGroupsNamed)
	switch {
	case m.Edited || m.Forged || group:
		return false, nil
	case !known:
		return c.readsStranger(t, r, m)
	}
	if why, err := c.tooMany(t, r, m); err != nil || why != "" {
		return false, err
	}
	o, err := c.room(t, r, p, m, false)
	return o.verdict == "accepted", err
}

// readsStranger is reads for somebody whom nobody has confirmed. A person who has the conversation works while the agent does not.
func (c *Channels) readsStranger(t txn, r row, m Inbound) (bool, error) {
	s, err := strangerAt(t, r.Name, m.Address)
	if err != nil {
		return false, err
	}
	s.Address = m.Address // also of one who is new
	why, err := c.beyond(t, r, s)
	if err != nil || why != "" || s.State == wire.StrangerPerson {
		return err == nil && why == "", err
	}
	o, err := c.room(t, r, person{}, m, true)
	return o.verdict == "accepted", err
}
