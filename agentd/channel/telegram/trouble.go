package telegram

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-telegram/bot"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/tool"
)

// Words for people about what does not work. What Telegram itself says is not shown: it may repeat the address, which has the token in it.
var (
	errNoToken = &channel.Trouble{Text: "There is no token for the bot. Set the channel up again.", Hard: true}
	errToken   = &channel.Trouble{
		Text: "Telegram does not accept the token of the bot. Copy it from @BotFather again, and set the channel up with it.", Hard: true,
	}
	errOther = &channel.Trouble{
		Text: "The token is for another bot than the one that you signed for. Set the channel up again.", Hard: true,
	}
	errHooked = &channel.Trouble{
		Text: "Another program gets the messages of this bot by a webhook. Give the team a bot that nothing else uses.", Hard: true,
	}
	errTwice = &channel.Trouble{
		Text: "Another program asks for the messages of this bot as well. Give the team a bot that nothing else uses. It is tried again.",
	}
	errNoHub       = &channel.Trouble{Text: "This server is not registered, so nothing can be brought to it. It is tried again."}
	errUnreachable = &channel.Trouble{Text: "Telegram cannot be reached. It is tried again."}
	errUntrusted   = &channel.Trouble{
		Text: "Telegram cannot show that it is the one it should be (its certificate). Nothing was sent to it.", Hard: true,
	}
	errBusy  = &channel.Trouble{Text: "Telegram asks to wait. It is tried again later."}
	errEnded = &channel.Trouble{Text: "Telegram gave no answer that can be read. It is tried again."}
)

// troubleOf says in words why Telegram does not do what was asked.
func troubleOf(ctx context.Context, err error) *channel.Trouble {
	var known *channel.Trouble
	var proof *tls.CertificateVerificationError
	switch {
	case errors.As(err, &known):
		return known
	case errors.Is(err, bot.ErrorUnauthorized), errors.Is(err, bot.ErrorNotFound): // the address of a bot that is none is not found
		return errToken
	case errors.Is(err, bot.ErrorConflict) && strings.Contains(err.Error(), "webhook"):
		return errHooked
	case errors.Is(err, bot.ErrorConflict):
		return errTwice
	case errors.As(err, &proof):
		return errUntrusted
	case errors.Is(err, errNotGiven), ctx.Err() != nil:
		return errUnreachable
	}
	if _, busy := retryAfter(err); busy {
		return errBusy
	}
	return errEnded
}

// retryAfter is how long Telegram asks to wait, an hour at most.
func retryAfter(err error) (time.Duration, bool) {
	var busy *bot.TooManyRequestsError
	if !errors.As(err, &busy) {
		return 0, false
	}
	return time.Duration(min(max(busy.RetryAfter, 1), 3600)) * time.Second, true
}

// refusedFor says what came of a message that Telegram has not taken; nil: nobody knows. What it says beside the kind of its refusal is
// from outside.
func refusedFor(ctx context.Context, err error) error {
	var moved *bot.MigrateError
	switch {
	case errors.Is(err, bot.ErrorForbidden):
		return tool.Refuse("Telegram does not let the bot write there: the person has to write to it first, or has blocked it. " +
			"Nothing was sent.")
	case errors.As(err, &moved):
		return tool.Refuse("The group has moved at Telegram and has another number now. Nothing was sent.")
	case errors.Is(err, bot.ErrorBadRequest):
		return tool.Refuse("Telegram refused the message. Nothing was sent.")
	case errors.Is(err, errNotGiven), errors.Is(err, bot.ErrorUnauthorized), errors.Is(err, bot.ErrorNotFound),
		errors.Is(err, bot.ErrorConflict):
		return tool.Refuse("%s Nothing was sent.", troubleOf(ctx, err).Text)
	}
	if after, busy := retryAfter(err); busy {
		return &channel.Later{Text: fmt.Sprintf("Telegram asks to wait %s.", after), After: after}
	}
	return nil
}
