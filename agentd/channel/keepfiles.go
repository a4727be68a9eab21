package channel

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
)

// keepFiles fetches and keeps attached files of people who may write. They lie there before the message is taken, so that none is missing
// then. One whose name the disk does not take is left out: it must not hold up the message for good.
func (c *Channels) keepFiles(ctx context.Context, name, run string, m *Inbound) (kept []string, err error) {
	if len(m.Files) == 0 && m.Fetch == nil || m.ID == "" || m.Skip != "" || m.Report != nil {
		return nil, nil
	}
	var may bool
	err = c.d.DB.Read().QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM channels c LEFT JOIN channel_people p ON p.channel = c.name
		AND p.address = ?2 WHERE c.name = ?1 AND coalesce(p.state, '') <> 'blocked' AND (c.policy = 'open' OR p.state = 'paired')
		AND NOT EXISTS (SELECT 1 FROM channel_strangers s WHERE s.channel = ?1 AND s.address = ?2 AND s.state IN ('out', 'erasing'))
		AND NOT EXISTS (SELECT 1 FROM channel_messages WHERE channel = ?1 AND mark = ?3))`, name, m.Address, hash(m.ID)).Scan(&may)
	if err != nil || !may {
		return nil, err
	}
	room, err := c.fileRoom(ctx, name, m.Proven)
	if err != nil {
		return nil, err
	}
	if err := c.fetch(ctx, name, room, m); err != nil {
		return nil, err
	}
	var taken []File
	for _, f := range m.Files {
		if room -= int64(len(f.Data)); room < 0 {
			m.Left = append(m.Left, leftTooMuch)
			break
		}
		saved, err := c.d.Shelf.Save(ctx, name, run, []File{f})
		switch {
		case errors.Is(err, ErrName):
			m.Left = append(m.Left, "An attached file was left out, because it cannot be kept under its name.")
		case err != nil:
			c.d.Shelf.Drop(kept)
			return nil, err
		}
		if err == nil {
			kept, taken = append(kept, saved...), append(taken, f)
		}
	}
	m.Files = taken
	return kept, nil
}

// maxDay is how many bytes of files one channel keeps within a day. Those who are not who they say they are for sure get half of it.
const maxDay = 500 << 20

// fileRoom is how many bytes of files may be kept now.
func (c *Channels) fileRoom(ctx context.Context, name string, proven bool) (room int64, err error) {
	room = maxDay
	if !proven {
		room /= 2
	}
	var used int64
	err = c.d.DB.Read().QueryRowContext(ctx, `SELECT coalesce(sum(bytes), 0) FROM channel_messages WHERE channel = ? AND at > ?
		AND proven <= ?`, name, micros(c.now().Add(-24*time.Hour)), proven).Scan(&used)
	if err != nil {
		return 0, fmt.Errorf("count files: %w", err)
	}
	return room - used, nil
}

// tidyFiles removes the files of messages that were never taken: this program was killed between the two. It comes before anything is
// read, so that none of them is on its way.
func (c *Channels) tidyFiles(ctx context.Context) error {
	all, err := c.all(ctx)
	for _, r := range all {
		kept, listed := c.d.Shelf.Kept(ctx, r.Name)
		err = errors.Join(err, listed)
		for _, id := range kept {
			err = errors.Join(err, c.tidyFile(ctx, r.Name, id))
		}
	}
	return err
}

// tidyFile removes the files of one that is not on record, while those that were taken still are (Tidy).
func (c *Channels) tidyFile(ctx context.Context, channel, id string) error {
	made, err := uuid.Parse(id)
	if err != nil || made.Version() != 7 {
		return nil //nolint:nilerr // it is no folder of ours
	}
	if c.now().Sub(time.Unix(made.Time().UnixTime())) > keepMessages-24*time.Hour {
		return nil
	}
	var known bool
	err = c.d.DB.Read().QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM channel_messages WHERE channel = ? AND run_id = ?)", channel,
		id).Scan(&known)
	if err != nil || known {
		return err
	}
	return c.d.Shelf.Forget(ctx, channel, id)
}
