package telegram

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/go-telegram/bot"
	"github.com/go-telegram/bot/models"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/wire"
)

// hookSecret is what Telegram says with each update that it brings: nobody can know it who has not the token.
func hookSecret(token, hook string) string {
	sum := sha256.Sum256([]byte("telegram webhook\n" + token + "\n" + hook))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// watchEvery is how often it is looked whether Telegram still brings updates here.
var watchEvery = 10 * time.Minute

// maxAtOnce is how many updates Telegram may bring at once.
const maxAtOnce = 2

// brought has Telegram bring updates, and hands them on. What it had before it brings as well.
func (b *Bot) brought(ctx context.Context, api *client, me *models.User, out chan<- channel.Inbound) error {
	if b.env.Hook == "" {
		return errNoHub
	}
	_, err := api.SetWebhook(ctx, &bot.SetWebhookParams{
		URL: b.env.Hook, SecretToken: hookSecret(api.token, b.env.Hook), AllowedUpdates: allowed, MaxConnections: maxAtOnce,
	})
	if err != nil {
		return ended(ctx, err)
	}
	b.mu.Lock()
	b.me = me
	b.mu.Unlock()
	b.env.Up("@" + me.Username)
	ctx, stop := context.WithCancel(ctx)
	var watching sync.WaitGroup
	watching.Go(func() { b.watch(ctx, api) })
	defer watching.Wait()
	defer stop()
	return b.door.Run(ctx, out)
}

// watch ends Run when the token is not taken anymore, or another program has Telegram bring updates elsewhere.
func (b *Bot) watch(ctx context.Context, api *client) {
	each := time.NewTicker(watchEvery)
	defer each.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-each.C:
		}
		info, err := api.GetWebhookInfo(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && troubleOf(ctx, err).Hard:
			b.door.Fail(troubleOf(ctx, err))
		case err == nil && info.URL != b.env.Hook:
			b.door.Fail(errTwice)
		}
	}
}

// unhook takes back that Telegram brings updates to this server, whose channel asks for them now. A webhook of another program stays.
func (b *Bot) unhook(ctx context.Context, api *client) {
	info, err := api.GetWebhookInfo(ctx)
	if err != nil || !b.env.OurHook(info.URL) {
		return
	}
	_, _ = api.DeleteWebhook(ctx, &bot.DeleteWebhookParams{}) // asking for updates says what does not work
}

func said(status int, text string) wire.ChannelAnswer {
	return wire.ChannelAnswer{Status: status, Type: wire.ChannelText, Body: []byte(text)}
}

// Deliver implements channel.Hooked.
func (b *Bot) Deliver(ctx context.Context, d wire.ChannelDelivery) wire.ChannelAnswer {
	b.mu.Lock()
	me := b.me
	b.mu.Unlock()
	api, err := b.open(ctx)
	if me == nil || err != nil {
		return channel.NotNow()
	}
	given, want := d.Headers["x-telegram-bot-api-secret-token"], hookSecret(api.token, b.env.Hook)
	if d.Method != http.MethodPost || subtle.ConstantTimeCompare([]byte(given), []byte(want)) != 1 {
		return said(http.StatusUnauthorized, "Telegram has not sent this. Nothing was taken.\n")
	}
	var u update
	if json.Unmarshal(d.Body, &u) != nil {
		return said(http.StatusBadRequest, "It cannot be read. Nothing was taken.\n")
	}
	if m := b.read(api, *me, u); m.ID != "" {
		if b.door.Take(ctx, m) != nil {
			return channel.NotNow()
		}
	}
	if press := u.CallbackQuery; press != nil { // else it shows for a minute that it is at work
		go api.pressed(context.WithoutCancel(ctx), press.ID)
	}
	return said(http.StatusOK, "Taken.\n")
}
