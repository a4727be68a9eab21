package public

import (
	"context"

	"gatehouse/views/i18n"
)

// answer is a question and what we say to it.
type answer struct{ Ask, Say string }

// point is a heading with a sentence.
type point struct{ Icon, Title, Text string }

// ask reads a question and its answer from the catalogue.
func ask(ctx context.Context, keys ...i18n.Key) []answer {
	out := make([]answer, 0, len(keys))
	for _, k := range keys {
		out = append(out, answer{i18n.T(ctx, k), i18n.T(ctx, k+"_text")})
	}
	return out
}

// pointOf reads a heading and its sentence from the catalogue.
func pointOf(ctx context.Context, icon string, key i18n.Key) point {
	return point{icon, i18n.T(ctx, key), i18n.T(ctx, key+"_text")}
}

// ResetDone is the notice after a new password was chosen.
func ResetDone(ctx context.Context) string { return i18n.T(ctx, "public.reset.done") }

// VerifySent is the notice after a new link was asked for.
func VerifySent(ctx context.Context, email string) string {
	return i18n.T(ctx, "public.verify.sent", "email", email)
}
