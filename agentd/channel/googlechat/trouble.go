package googlechat

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"time"

	"gatehouse/agentd/channel"
	"gatehouse/agentd/tool"
)

// Words for people about what does not work. What Google itself says is from outside, and not shown.
var (
	errNoKey = &channel.Trouble{Text: "There is no key of the service account. Set the channel up again.", Hard: true}
	errKey   = &channel.Trouble{
		Text: "Google does not accept the key of the service account. Make a new one in the Google Cloud console, and set the channel up " +
			"with it.", Hard: true,
	}
	errOther = &channel.Trouble{
		Text: "The key is for another service account than the one that you signed for. Set the channel up again.", Hard: true,
	}
	errRight = &channel.Trouble{
		Text: "Google does not let the app use Chat. In the Google Cloud console, turn the Google Chat API on and fill in its " +
			"configuration.", Hard: true,
	}
	errUnreachable = &channel.Trouble{Text: "Google Chat cannot be reached. It is tried again."}
	errUntrusted   = &channel.Trouble{
		Text: "Google Chat cannot show that it is the one it should be (its certificate). Nothing was sent to it.", Hard: true,
	}
	errBusy  = &channel.Trouble{Text: "Google Chat asks to wait. It is tried again later."}
	errEnded = &channel.Trouble{Text: "Google Chat gave no answer that can be read. It is tried again."}
)

// troubleOf says in words why Google does not do what was asked.
func troubleOf(ctx context.Context, err error) *channel.Trouble {
	var known *channel.Trouble
	var proof *tls.CertificateVerificationError
	var no *refusal
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &proof):
		return errUntrusted
	case errors.As(err, &no):
		return refusedWith(no)
	case errors.Is(err, channel.ErrNotGiven) || ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded):
		return errUnreachable
	}
	return errEnded
}

// refusedWith says what an answer means for the whole channel.
func refusedWith(no *refusal) *channel.Trouble {
	switch no.status {
	case http.StatusUnauthorized:
		return errKey
	case http.StatusForbidden:
		return errRight
	case http.StatusTooManyRequests:
		return errBusy
	}
	return errEnded
}

// retryAfter is how long Google asks to wait.
func retryAfter(err error) (time.Duration, bool) {
	var no *refusal
	if !errors.As(err, &no) || no.status != http.StatusTooManyRequests {
		return 0, false
	}
	return no.after, true
}

// refusedFor says what came of a message that Google has not taken; nil: nobody knows.
func refusedFor(ctx context.Context, err error) error {
	var known *channel.Trouble
	var no *refusal
	var early *notBegun
	if wait, is := retryAfter(err); is {
		return &channel.Later{Text: fmt.Sprintf("Google Chat asks to wait %s.", wait), After: wait}
	}
	switch {
	case errors.Is(err, channel.ErrNotGiven), errors.As(err, &early), errors.As(err, &known) && known.Hard:
		return tool.Refuse("%s Nothing was sent.", troubleOf(ctx, err).Text)
	case !errors.As(err, &no) || no.status >= 500:
		return nil
	case no.status == http.StatusUnauthorized:
		return tool.Refuse("%s Nothing was sent.", errKey.Text)
	case no.status == http.StatusForbidden, no.status == http.StatusNotFound:
		return tool.Refuse("Google Chat does not let the app write there: the person has not opened a chat with it or has removed it, or " +
			"the space is gone. Nothing was sent.")
	case no.status >= 400:
		return tool.Refuse("Google Chat refused the message. Nothing was sent.")
	}
	return nil
}
