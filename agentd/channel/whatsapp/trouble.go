package whatsapp

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

// Words for people about what does not work. What Meta itself says is from outside, and not shown.
var (
	errNoToken = &channel.Trouble{Text: "The secrets of WhatsApp are missing. Set the channel up again.", Hard: true}
	errToken   = &channel.Trouble{
		Text: "WhatsApp does not accept the access token. Make a lasting one for a system user at Meta, and set the channel up with it.",
		Hard: true,
	}
	errSecret = &channel.Trouble{
		Text: "WhatsApp does not accept the app secret. Copy it from the app's basic settings at Meta again, and set the channel up " +
			"with it.", Hard: true,
	}
	errRight = &channel.Trouble{
		Text: "The access token may not use this number. At Meta, give the system user the app and the WhatsApp account, with the right " +
			"to messages.", Hard: true,
	}
	errLocked = &channel.Trouble{
		Text: "Meta has blocked the account or waits for a payment. Look at the WhatsApp account at Meta.", Hard: true,
	}
	errUnreachable = &channel.Trouble{Text: "WhatsApp cannot be reached. It is tried again."}
	errUntrusted   = &channel.Trouble{
		Text: "WhatsApp cannot show that it is the one it should be (its certificate). Nothing was sent to it.", Hard: true,
	}
	errBusy  = &channel.Trouble{Text: "WhatsApp asks to wait. It is tried again later."}
	errEnded = &channel.Trouble{Text: "WhatsApp gave no answer that can be read. It is tried again."}
)

// Meta's own codes of refusals.
const (
	codeParameter = 100 // also of a proof that does not fit
	subNotThere   = 33  // there is no such number
	codeToken     = 190
	codeNoRight   = 10
	codeLate      = 131047 // nobody wrote for a day
	codePerson    = 131056 // too many messages to one person
	codeNoWay     = 131026 // the person has no WhatsApp, or takes no such messages
	codeNotListed = 131030 // a number for tests writes to few people
)

var (
	waits  = map[int]bool{4: true, 80007: true, 130429: true, 131048: true, codePerson: true}
	locked = map[int]bool{368: true, 131031: true, 131042: true, 131045: true, 133010: true}
)

// troubleOf says in words why Meta does not do what was asked.
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
	switch {
	case isWait(no):
		return errBusy
	case no.code == codeToken, no.status == http.StatusUnauthorized:
		return errToken
	case no.code == codeParameter && no.sub == subNotThere: // or the token may not know of it
		return errRight
	case no.code == codeParameter && no.status == http.StatusBadRequest:
		return errSecret
	case locked[no.code]:
		return errLocked
	case no.code == codeNoRight, no.code >= 200 && no.code <= 299:
		return errRight
	}
	return errEnded
}

func isWait(no *refusal) bool { return no.status == http.StatusTooManyRequests || waits[no.code] }

// Waits where Meta does not say how long.
const (
	waitAll    = time.Minute
	waitPerson = 10 * time.Second
)

// retryAfter is how long Meta asks to wait.
func retryAfter(err error) (time.Duration, bool) {
	var no *refusal
	switch {
	case !errors.As(err, &no) || !isWait(no):
		return 0, false
	case no.after > 0:
		return no.after, true
	case no.code == codePerson:
		return waitPerson, true
	}
	return waitAll, true
}

// refusedFor says what came of a message that Meta has not taken; nil: nobody knows.
func refusedFor(ctx context.Context, err error) error {
	var known *channel.Trouble
	var no *refusal
	if errors.Is(err, channel.ErrNotGiven) || errors.As(err, &known) && known.Hard {
		return tool.Refuse("%s Nothing was sent.", troubleOf(ctx, err).Text)
	}
	if wait, is := retryAfter(err); is {
		return &channel.Later{Text: fmt.Sprintf("WhatsApp asks to wait %s.", wait), After: wait}
	}
	if !errors.As(err, &no) || no.status >= 500 {
		return nil
	}
	switch no.code {
	case codeLate:
		return tool.Refuse("The person has not written for a day, and WhatsApp then lets only a template pass. Nothing was sent.")
	case codeNoWay:
		return tool.Refuse("WhatsApp does not reach this person: they have no WhatsApp under this number, or an old one. Nothing was sent.")
	case codeNotListed:
		return tool.Refuse("A number for tests writes only to people who are listed at Meta. Nothing was sent.")
	}
	if trouble := refusedWith(no); trouble.Hard && no.code != codeParameter {
		return tool.Refuse("%s Nothing was sent.", trouble.Text)
	}
	return tool.Refuse("WhatsApp refused the message. Nothing was sent.")
}

// reportedWith says in words why a message failed after it was taken.
func reportedWith(code int) string {
	switch code {
	case codeLate:
		return "The person has not written for a day, and WhatsApp then lets only a template pass."
	case codeNoWay:
		return "WhatsApp does not reach this person: they have no WhatsApp under this number, or an old one."
	}
	return fmt.Sprintf("WhatsApp could not deliver it (%d).", code)
}
