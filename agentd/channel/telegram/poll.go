package telegram

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

const askWithin = 20 * time.Second

// Telegram holds a question for pollFor. A connection that is dead without a word is noticed after the grace besides.
var (
	pollFor   = 50 * time.Second
	pollGrace = 15 * time.Second
)

// allowed is what the bot is told: what was written, changed or pressed.
var allowed = []string{"message", "edited_message", "callback_query"}

// cursor is how far the updates of a bot were taken.
type cursor struct {
	bot, update int64
	at          int64 // when, in Unix seconds
}

// numbersHold is how long the numbers of updates go on: after a week without any, Telegram begins anew somewhere.
const numbersHold = 6 * 24 * time.Hour

func (c cursor) String() string { return fmt.Sprintf("%d:%d:%d", c.bot, c.update, c.at) }

func readCursor(s string) (c cursor) {
	if n, err := fmt.Sscanf(s, "%d:%d:%d", &c.bot, &c.update, &c.at); err != nil || n != 3 {
		return cursor{}
	}
	return c
}

// maxRest is how long Telegram may ask to wait before the connection is given up for that time.
const maxRest = time.Minute

// offset is the first update that is asked for. After a long silence it is whatever Telegram still has: repeats are known.
func (c cursor) offset(now time.Time) int64 {
	if now.Sub(time.Unix(c.at, 0)) > numbersHold {
		return 0
	}
	return c.update + 1
}

// Run implements channel.Channel. Of a bot that is new here, only what comes from now on is taken.
func (b *Bot) Run(ctx context.Context, out chan<- channel.Inbound) error {
	api, err := b.open(ctx)
	if err != nil {
		return ended(ctx, err)
	}
	me, err := b.whoAmI(ctx, api)
	if err != nil {
		return ended(ctx, err)
	}
	if b.set.Way == wire.ChatHook {
		return b.brought(ctx, api, me, out)
	}
	b.unhook(ctx, api)
	at := readCursor(b.env.Cursor)
	if at.bot != me.ID {
		if at, err = b.begin(ctx, api, me.ID, out); err != nil {
			return ended(ctx, err)
		}
	}
	for wait := time.Duration(0); ; wait = pollFor {
		all, err := api.updates(ctx, at.offset(b.env.Now()), wait)
		if after, busy := retryAfter(err); busy && after <= maxRest {
			if err := channel.Rest(ctx, after); err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return ended(ctx, err)
		}
		if at, err = b.handAll(ctx, api, *me, at, all, out); err != nil {
			return err
		}
		if wait == 0 {
			b.env.Up("@" + me.Username)
		}
	}
}

func ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return troubleOf(ctx, err)
}

func (*Bot) whoAmI(ctx context.Context, api *client) (*models.User, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	return api.GetMe(ctx)
}

// begin stands a bot that is new here at its newest update.
func (b *Bot) begin(ctx context.Context, api *client, id int64, out chan<- channel.Inbound) (cursor, error) {
	last, err := api.updates(ctx, -1, 0)
	if err != nil {
		return cursor{}, err
	}
	at := cursor{bot: id, at: b.env.Now().Unix()}
	for _, u := range last {
		at.update = max(at.update, u.ID)
	}
	return at, channel.Hand(ctx, out, channel.Inbound{Cursor: at.String()})
}

// handAll hands on updates in the order in which they happened. A repeat is handed on as well: whoever takes it knows it.
func (b *Bot) handAll(ctx context.Context, api *client, me models.User, at cursor, all []update, out chan<- channel.Inbound) (
	cursor, error,
) {
	slices.SortStableFunc(all, func(a, b update) int { return cmp.Compare(a.ID, b.ID) })
	old := at.offset(b.env.Now()) == 0
	for _, u := range all {
		m := b.read(api, me, u)
		if u.ID > at.update || old {
			at, old = cursor{at.bot, u.ID, b.env.Now().Unix()}, false
		}
		m.Cursor = at.String()
		if err := channel.Hand(ctx, out, m); err != nil {
			return at, err
		}
		if press := u.CallbackQuery; press != nil { // else it shows for a minute that it is at work
			go api.pressed(context.WithoutCancel(ctx), press.ID)
		}
	}
	if len(all) == 0 {
		return at, nil
	}
	// Whoever takes messages takes one after the other. Once this empty one is handed over, the last of them is kept here, and Telegram
	// may be told to forget it.
	return at, channel.Hand(ctx, out, channel.Inbound{Cursor: at.String()})
}

// pressed tells Telegram that a press has come.
func (c *client) pressed(ctx context.Context, id string) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	_, _ = c.AnswerCallbackQuery(ctx, &bot.AnswerCallbackQueryParams{CallbackQueryID: id}) // what was pressed is taken whatever it says
}

// update is one update; of one that cannot be read, its number alone.
type update struct {
	models.Update
	unreadable bool
}

// UnmarshalJSON implements json.Unmarshaler: whatever an update is like, it must not hold up others.
func (u *update) UnmarshalJSON(raw []byte) error {
	if json.Unmarshal(raw, &u.Update) == nil {
		return nil
	}
	var only struct {
		ID int64 `json:"update_id"`
	}
	err := json.Unmarshal(raw, &only)
	u.Update, u.unreadable = models.Update{ID: only.ID}, true
	return err
}

// updates asks for what happened from an offset on, which confirms what was before.
func (c *client) updates(ctx context.Context, offset int64, wait time.Duration) ([]update, error) {
	ctx, cancel := context.WithTimeout(ctx, wait+pollGrace)
	defer cancel()
	raw, err := json.Marshal(map[string]any{"offset": offset, "timeout": int(wait.Seconds()), "allowed_updates": allowed})
	if err != nil {
		return nil, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/bot"+c.token+"/getUpdates", bytes.NewReader(raw))
	if err != nil {
		return nil, errToken // the address cannot be one, and the error would show it
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := c.web.Do(r)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(answer.Body)
	err = errors.Join(err, answer.Body.Close())
	if err != nil {
		return nil, err
	}
	var said struct {
		OK          bool     `json:"ok"`
		Result      []update `json:"result"`
		Code        int      `json:"error_code"`
		Description string   `json:"description"`
		Parameters  struct {
			RetryAfter int `json:"retry_after"`
		} `json:"parameters"`
	}
	if err := json.Unmarshal(body, &said); err != nil {
		return nil, errEnded
	}
	switch {
	case said.OK:
		return said.Result, nil
	case said.Code == http.StatusTooManyRequests:
		return nil, &bot.TooManyRequestsError{Message: said.Description, RetryAfter: said.Parameters.RetryAfter}
	}
	return nil, fmt.Errorf("%w: %s", kinds[said.Code], said.Description)
}

// kinds are Telegram's refusals as the library names them.
var kinds = map[int]error{
	http.StatusUnauthorized: bot.ErrorUnauthorized, http.StatusNotFound: bot.ErrorNotFound, http.StatusConflict: bot.ErrorConflict,
	http.StatusForbidden: bot.ErrorForbidden, http.StatusBadRequest: bot.ErrorBadRequest,
}
