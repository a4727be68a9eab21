package file

import (
	"context"
	"encoding/json"

	"gatehouse/views/i18n"
)

// AttachProps is the way to send files with a message.
type AttachProps struct{ Away bool }

// attachWords are those that the script says while it attaches.
func attachWords(ctx context.Context) string {
	all, err := json.Marshal(map[string]string{
		"reading": i18n.T(ctx, "file.reading"), "sending": i18n.T(ctx, "file.sending"), "done": i18n.T(ctx, "file.uploaded"),
		"large": i18n.T(ctx, "file.large"), "again": i18n.T(ctx, "file.attach.again"), "next": i18n.T(ctx, "file.attach.next"),
		"remove": i18n.T(ctx, "file.attach.remove", "name", "{name}"), "stays": i18n.T(ctx, "file.attach.stays", "path", "{path}"),
		"cut": i18n.T(ctx, "file.removed.cut", "name", "{name}"), "lost": i18n.T(ctx, "file.removed.lost", "names", "{names}"),
		"waits": i18n.T(ctx, "file.attach.waits"), "failed": i18n.T(ctx, "file.attach.failed"), "away": i18n.T(ctx, "file.attach.away"),
		"many": i18n.T(ctx, "file.attach.many"), "picture": i18n.T(ctx, "file.attach.picture"),
		"unread": i18n.T(ctx, "file.attach.unread"),
		"ours":   i18n.T(ctx, "file.attach.ours"), "others": i18n.T(ctx, "file.attach.others"),
	})
	if err != nil {
		panic("words of the catalogue: " + err.Error())
	}
	return string(all)
}
