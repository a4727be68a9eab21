package mail

import (
	"context"
	"time"

	"gatehouse/views/i18n"
)

// Pool is what a letter about the tokens of a month says of them.
type Pool struct {
	Drawn, Tokens int64
	Beyond        bool      // the team works on, for money, when they are used up
	Until         time.Time // when the month ends, in the reader's zone
}

// poolWords are those of such a letter: what was used, and what happens when nothing is left, as the owner chose.
func poolWords(ctx context.Context, p Props, w text) text {
	of := func(part string) string {
		return i18n.T(ctx, i18n.Key("mail."+string(p.Kind)+"."+part), "drawn", p.Pool.Drawn, "pool", p.Pool.Tokens,
			"day", i18n.Day(ctx, p.Pool.Until))
	}
	then := "pause"
	if p.Pool.Beyond {
		then = "beyond"
	}
	w.Subject, w.Title, w.Text = of("subject"), of("title"), of("text")+" "+of(then)
	w.Button, w.Small = of("button"), of("small")
	return w
}
