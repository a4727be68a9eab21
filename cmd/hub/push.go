package main

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"gatehouse/app/billing"
	"gatehouse/app/provider/webpush"
	"gatehouse/app/push"
	"gatehouse/db"
	"gatehouse/views/i18n"
)

// pushKey is the name of the key that messages to devices are signed with.
const pushKey = "push"

// newPush makes what tells devices. The first hub on a database makes the key that it signs with.
func newPush(ctx context.Context, devices *db.PushDevices, cfg config) (*push.Service, error) {
	secrets := &db.HubSecrets{DB: devices.DB, Keys: devices.Keys}
	key, err := secrets.Get(ctx, pushKey, webpush.NewKey)
	if errors.Is(err, db.ErrSealed) {
		return nil, fmt.Errorf("%w\nIt was made with another key file than %s. Put that file back; or, if it is lost, delete the row "+
			"%q of the table hub_secrets: then every device has to be turned on again", err, cfg.keyFile(), pushKey)
	}
	if err != nil {
		return nil, err
	}
	sender, err := webpush.New(webpush.Options{Key: key, Subject: pushSubject(cfg), Local: cfg.PushLocal, Now: time.Now})
	if err != nil {
		return nil, err
	}
	return &push.Service{Store: devices, Sender: sender, Words: pushWords, Local: cfg.PushLocal, Now: time.Now}, nil
}

// pushSubject is whom a push service can write to about our messages. Some refuse what is no https address and no address
// that mail could reach.
func pushSubject(cfg config) string {
	if strings.HasPrefix(cfg.PublicURL, "https://") {
		return cfg.PublicURL
	}
	from, err := mail.ParseAddress(cfg.MailFrom)
	if err != nil {
		return cfg.MailFrom // the configuration was checked
	}
	return from.Address
}

// pushWords puts what devices are told into words: that something waits, how much is used or who
// asks, and for which business.
func pushWords(ctx context.Context, n push.Notice) (title, text string) {
	ctx = i18n.With(ctx, n.Locale)
	switch {
	case n.Pool >= billing.PoolEmpty:
		return n.Business, i18n.T(ctx, "push.pool_empty")
	case n.Pool > 0:
		return n.Business, i18n.T(ctx, "push.pool_low", "n", n.Pool)
	case n.Support:
		return n.Business, i18n.T(ctx, "push.support")
	case n.Test:
		return n.Business, i18n.T(ctx, "push.test")
	case n.Count == 0:
		return n.Business, i18n.T(ctx, "push.none")
	}
	return n.Business, i18n.T(ctx, "push.waiting", "n", n.Count)
}
